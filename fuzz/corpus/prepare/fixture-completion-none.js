if (a) return b;
for (;;) c
