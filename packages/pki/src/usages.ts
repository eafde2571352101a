/** The bits of KeyUsage, from the first of RFC 5280, section 4.2.1.3, on. Upstream: authority/policies.go, keyUsageDict. */
const keyUsageBits: ReadonlyMap<string, number> = new Map([
  ["signing", 0],
  ["digital signature", 0],
  ["content commitment", 1],
  ["key encipherment", 2],
  ["data encipherment", 3],
  ["key agreement", 4],
  ["cert sign", 5],
  ["crl sign", 6],
  ["encipher only", 7],
  ["decipher only", 8]
])

/** The object identifiers of ExtKeyUsage, in the order in which certificates list them. Upstream: extKeyUsageDict. */
const extendedUsages: ReadonlyArray<readonly [string, string]> = [
  ["any", "2.5.29.37.0"],
  ["server auth", "1.3.6.1.5.5.7.3.1"],
  ["client auth", "1.3.6.1.5.5.7.3.2"],
  ["code signing", "1.3.6.1.5.5.7.3.3"],
  ["email protection", "1.3.6.1.5.5.7.3.4"],
  ["s/mime", "1.3.6.1.5.5.7.3.4"],
  ["ipsec end system", "1.3.6.1.5.5.7.3.5"],
  ["ipsec tunnel", "1.3.6.1.5.5.7.3.6"],
  ["ipsec user", "1.3.6.1.5.5.7.3.7"],
  ["timestamping", "1.3.6.1.5.5.7.3.8"],
  ["ocsp signing", "1.3.6.1.5.5.7.3.9"],
  ["microsoft sgc", "1.3.6.1.4.1.311.10.3.3"],
  ["netscape sgc", "2.16.840.1.113730.4.1"]
]

export interface EncodedUsages {
  /** The bytes of KeyUsage and how many of the last bits do not count; undefined if no usage is one of its bits. */
  readonly keyUsage: { readonly bytes: Uint8Array; readonly unused: number } | undefined
  readonly extended: ReadonlyArray<string>
  /** The usages that Kubernetes does not have. */
  readonly unrecognized: ReadonlyArray<string>
}

const bitsOf = (positions: ReadonlyArray<number>): EncodedUsages["keyUsage"] => {
  if (positions.length === 0) return undefined
  const last = Math.max(...positions)
  const bytes = new Uint8Array(Math.floor(last / 8) + 1)
  for (const bit of positions) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7))
  return { bytes, unused: 7 - (last & 7) }
}

/** Returns how a certificate encodes the usages of a request. Upstream: authority/policies.go, keyUsagesFromStrings. */
export const encodeUsages = (usages: ReadonlyArray<string>): EncodedUsages => ({
  keyUsage: bitsOf(usages.flatMap((usage) => keyUsageBits.get(usage) ?? [])),
  extended: [...new Set(extendedUsages.filter(([name]) => usages.includes(name)).map(([, id]) => id))],
  unrecognized: usages.filter((usage) => !keyUsageBits.has(usage) && !extendedUsages.some(([name]) => name === usage))
})
