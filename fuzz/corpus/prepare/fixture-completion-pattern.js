const c = 3, { a } = b;
