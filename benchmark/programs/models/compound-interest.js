// Amortization tables for many loans.
function amortize(principal, annualRate, years) {
  const rate = annualRate / 100 / 12;
  const months = years * 12;
  const payment = (principal * rate) / (1 - Math.pow(1 + rate, -months));
  const schedule = [];
  let balance = principal;
  let month = 0;
  while (balance > 0.005 && month < months) {
    const interest = balance * rate;
    const towards = Math.min(payment - interest, balance);
    balance -= towards;
    month++;
    schedule.push({ month, payment, interest, principal: towards, balance });
  }
  return schedule;
}
let interest = 0;
let rows = 0;
for (let loan = 0; loan < 600; loan++) {
  const schedule = amortize(100000 + loan * 500, 2 + (loan % 12) / 2, 10 + (loan % 21));
  rows += schedule.length;
  for (const entry of schedule) interest += entry.interest;
}
return [rows, interest.toFixed(2)];
