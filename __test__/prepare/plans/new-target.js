// `new.target` is the function itself.
function Made(again) {
  t0('made');
  const self = new.target;
  if (again) new self(false);
}
new Made(true);
