x = 1;
<!-- comment
--> comment
x
