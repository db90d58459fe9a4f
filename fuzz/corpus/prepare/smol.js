var __smol_budget = 1; __smol_v; var x = { __smol_v: 1 }; '__smol_'; x.__smol_v
