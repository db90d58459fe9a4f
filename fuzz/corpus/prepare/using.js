{ using x = { [Symbol.dispose]() {} }; await using y = null; }
