// Tests addresses, phone numbers and cards.
const emailPattern = /^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$/;
const phonePattern = /^\+?(\d{1,3})?[-. (]*(\d{3})[-. )]*(\d{3})[-. ]*(\d{4})$/;
const luhn = (number) => {
  let sum = 0;
  let double = false;
  for (let i = number.length - 1; i >= 0; i--) {
    let digit = Number(number[i]);
    if (double) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
    double = !double;
  }
  return sum % 10 === 0;
};
let emails = 0;
let phones = 0;
let cards = 0;
for (let i = 0; i < 40000; i++) {
  const email = i % 7 === 0 ? `user${i}@@example` : `user.${i}@mail${i % 30}.example.com`;
  if (emailPattern.test(email)) emails++;
  if (phonePattern.test(i % 5 ? `+1 (555) 010-${String(1000 + (i % 9000))}` : `555-${i}`)) phones++;
  if (luhn(String(4000000000000000 + i * 1237))) cards++;
}
return [emails, phones, cards];
