// attack: revoked proxies as argument, output, thrown value and in logs
// outcome: value [ 'TypeError', 'TypeError' ]
// state: READY
const { proxy, revoke } = Proxy.revocable([], {});
const callable = Proxy.revocable(() => {}, {});
revoke();
callable.revoke();
console.log(proxy, callable.proxy, [proxy]);
console.table([proxy]);
const names = [];
for (const value of [proxy, { inner: callable.proxy }]) {
  try {
    echo(value);
  } catch (error) {
    names.push(error.name);
  }
}
return names;
