export const FNV_OFFSET = 0x811c9dc5
export const FNV_PRIME = 0x01000193

/** FNV-1a, 32 bits, over the UTF-16 units of a text; `from` goes on from the hash of what stands before it. */
export const fnv1a = (text: string, from: number = FNV_OFFSET): number => {
  let hash = from
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME)
  return hash >>> 0
}
