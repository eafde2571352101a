/**
 * The ids of a list as the kernel writes it: `0-3,8,10-11`, ascending. Nothing, or nonsense, is no id.
 * Kernel: Documentation/admin-guide/kernel-parameters.rst, "cpu lists".
 */
export const parseIdList = (text: string): ReadonlyArray<number> => {
  const ids = new Set<number>()
  for (const part of text.trim().split(",")) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part.trim())
    if (range === null) continue
    const first = Number(range[1])
    const last = Number(range[2] ?? range[1])
    for (let id = first; id <= last; id++) ids.add(id)
  }
  return [...ids].sort((a, b) => a - b)
}
