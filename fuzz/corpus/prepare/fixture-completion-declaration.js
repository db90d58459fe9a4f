const { a } = b, c = 3;
