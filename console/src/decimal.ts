// Sums of money: the gateway gives decimals in strings, and a float would lose what they have.

function parts(text: string): [bigint, number] {
  const [whole, rest = ''] = text.split('.');
  return [BigInt(whole! + rest), rest.length];
}

// a + b, without zeros at its end.
export function add(a: string, b: string): string {
  let [x, places] = parts(a);
  let [y, other] = parts(b);
  for (; places < other; places++) x *= 10n;
  for (; other < places; other++) y *= 10n;
  const sum = x + y,
    minus = sum < 0n;
  const digits = (minus ? -sum : sum).toString().padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places),
    rest = digits.slice(digits.length - places).replace(/0+$/, '');
  return `${minus ? '-' : ''}${whole}${rest && '.'}${rest}`;
}

export function subtract(a: string, b: string): string {
  return add(a, b.startsWith('-') ? b.slice(1) : `-${b}`);
}
