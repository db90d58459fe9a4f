alpha
x𠮷
