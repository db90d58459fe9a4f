// Computed members are all members.
for (const key of Object.keys(ns.deep)) ns.deep[key]('x');
ns['x']('literal');
