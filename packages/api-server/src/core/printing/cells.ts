/** Labels as `kubectl` shows them: `a=1,b=2` in order, `<none>` without. */
export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",") || "<none>"

/** The first of a list and how many more there are: `a,b,c + 2 more...`. */
export const shortList = (items: ReadonlyArray<string>, limit: number): string => {
  const shown = items.slice(0, limit).join(",")
  return items.length > limit ? `${shown} + ${items.length - limit} more...` : shown
}
