/** The offset basis and the prime of 32-bit FNV-1a. */
export const FNV_OFFSET = 0x811c9dc5
export const FNV_PRIME = 0x01000193

/** Returns the 32-bit FNV-1a hash of a text's UTF-16 units; `from` is the hash of the text before it. */
export const fnv1a = (text: string, from: number = FNV_OFFSET): number => {
  let hash = from
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME)
  return hash >>> 0
}
