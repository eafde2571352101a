// CRC-32 as polynomials over GF(2), bits reversed, modulo this one (RFC 1952, section 8).
const POLYNOMIAL = 0xedb88320
const ONE = 0x80000000

const multiply = (left: number, right: number): number => {
  let product = 0
  let factor = right
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((left & bit) !== 0) product ^= factor
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL
  }
  return product
}

/** x to the power of 8, 16, 32 and so on. */
const powers: Array<number> = [0x00800000]

/** Returns by what a checksum is multiplied when this many bytes follow. */
export const checksumShift = (bytes: number): number => {
  let shift = ONE
  for (let [at, left] = [0, bytes]; left > 0; at++) {
    const power = powers[at] ?? multiply(powers[at - 1] as number, powers[at - 1] as number)
    powers[at] = power
    if (left % 2 === 1) shift = multiply(power, shift)
    left = Math.floor(left / 2)
  }
  return shift
}

/** Returns the CRC-32 of bytes that begin with those of one checksum and end with those of another, of which `shift` tells how many. */
export const joinedChecksum = (first: number, second: number, shift: number): number =>
  (multiply(shift, first) ^ second) >>> 0
