var let_ = 010; with (a) {} delete a; arguments = 1; function f(a, a) {} yield = 1; eval = 2; var await_;
