/** Where the store's keys are in etcd: `prefix` stands there for the `root` of the store's keys. */
export interface KeySpace {
  readonly root: string
  readonly prefix: string
}

/** The keys from `key` on, below `end`; without `end`, all. */
export interface KeyRange {
  readonly key: Uint8Array
  readonly end: Uint8Array
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** What etcd takes for no bound. */
const UNBOUNDED = Uint8Array.of(0)

/** Returns the etcd key of a store key; undefined if it is not below the root. */
export const etcdKeyOf = ({ prefix, root }: KeySpace, key: string): Uint8Array | undefined =>
  key.startsWith(root) ? encoder.encode(prefix + key.slice(root.length)) : undefined

/** Returns the store key of an etcd key of this space. */
export const storeKeyOf = ({ prefix, root }: KeySpace, key: Uint8Array): string =>
  root + decoder.decode(key).slice(prefix.length)

/** Returns the smallest key above all that start with the prefix, as clientv3.GetPrefixRangeEnd does. */
export const endOfKeyPrefix = (prefix: Uint8Array): Uint8Array => {
  for (let length = prefix.length; length > 0; length--) {
    const byte = prefix[length - 1] as number
    if (byte < 0xff) {
      const end = prefix.slice(0, length)
      end[length - 1] = byte + 1
      return end
    }
  }
  return UNBOUNDED
}

/** Returns the etcd keys of the store keys with a prefix, after one of them if `after` is given. */
export const rangeOf = (space: KeySpace, prefix: string, after?: string): KeyRange | undefined => {
  const whole = space.root.startsWith(prefix) ? encoder.encode(space.prefix) : etcdKeyOf(space, prefix)
  if (whole === undefined) return undefined
  const isAfterStart = after !== undefined && after >= prefix && after.startsWith(space.root)
  const lower = isAfterStart ? (etcdKeyOf(space, `${after}\0`) as Uint8Array) : whole
  return { key: lower.length === 0 ? UNBOUNDED : lower, end: endOfKeyPrefix(whole) }
}
