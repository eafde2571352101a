/* Numbers that end with a checksum. Upstream: kube-openapi/pkg/internal/third_party/govalidator/validator.go. */

const sumOf = (digits: ReadonlyArray<number>, weigh: (digit: number, index: number) => number): number =>
  digits.reduce((sum, digit, index) => sum + weigh(digit, index), 0)

const digitsOf = (text: string): ReadonlyArray<number> => [...text].map((digit) => (digit === "X" ? 10 : Number(digit)))

const withoutDashes = (text: string): string => text.replace(/[\s-]+/g, "")

export const isIsbn10 = (text: string): boolean => {
  const number = withoutDashes(text)
  if (!/^\d{9}[\dX]$/.test(number)) return false
  return sumOf(digitsOf(number), (digit, index) => digit * (index + 1)) % 11 === 0
}

export const isIsbn13 = (text: string): boolean => {
  const number = withoutDashes(text)
  return (
    /^\d{13}$/.test(number) && sumOf(digitsOf(number), (digit, index) => digit * (index % 2 === 0 ? 1 : 3)) % 10 === 0
  )
}

const cardPattern =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/

/** The number of a credit card, with any other characters within. */
export const isCreditCard = (text: string): boolean => {
  const number = text.replace(/\D+/g, "")
  if (!cardPattern.test(number)) return false
  const doubled = (digit: number): number => (digit < 5 ? 2 * digit : 2 * digit - 9)
  return sumOf(digitsOf(number).toReversed(), (digit, index) => (index % 2 === 0 ? digit : doubled(digit))) % 10 === 0
}
