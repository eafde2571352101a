/** Parses the lines of /proc/meminfo, or of a NUMA node's meminfo, that contain a size; bytes by name. */
export const parseMemoryInfo = (text: string): ReadonlyMap<string, number> => {
  const sizes = new Map<string, number>()
  for (const [, name, kibibytes] of text.matchAll(/^(?:Node \d+ )?([\w()]+):\s*(\d+) kB$/gm)) {
    if (name !== undefined) sizes.set(name, Number(kibibytes) * 1024)
  }
  return sizes
}
