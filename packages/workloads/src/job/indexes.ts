/** Sets of completion indexes as the status shows them: `0-3,7`. Upstream: pkg/controller/job/indexed_job_utils.go. */

export const parseIndexes = (text: string | undefined): ReadonlySet<number> => {
  const indexes = new Set<number>()
  if (text === undefined || text === "") return indexes
  for (const part of text.split(",")) {
    const [first = "", last = first] = part.split("-")
    for (let index = Number(first); index <= Number(last); index++) indexes.add(index)
  }
  return indexes
}

/** A run of three or more is written by its ends. */
export const formatIndexes = (indexes: Iterable<number>): string => {
  const sorted = [...indexes].sort((left, right) => left - right)
  const parts: Array<string> = []
  for (let from = 0; from < sorted.length; ) {
    let to = from
    while (sorted[to + 1] === (sorted[to] ?? 0) + 1) to++
    const [first, last] = [sorted[from], sorted[to]]
    parts.push(to === from ? `${first}` : to === from + 1 ? `${first},${last}` : `${first}-${last}`)
    from = to + 1
  }
  return parts.join(",")
}
