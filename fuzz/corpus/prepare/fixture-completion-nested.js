if (a) { 1; b } else if (c) var d = 2; else lbl: { try { e } catch ({ m }) { m; let f = g } finally { h } }
