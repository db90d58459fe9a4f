(function () { return 1 })() // no line break at the end
