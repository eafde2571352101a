import { didYouMean } from "@rollcall/input"

const SHOWN = 5

/** What is said of a name that no node has: the nearest one, or what there is. */
export const unknownNode = (name: string, known: ReadonlyArray<string>): string => {
  const head = `no node "${name}" in the cluster`
  if (name.includes(",")) return `${head}; names are parted by blanks: ${name.split(",").join(" ")}`
  const near = didYouMean(name, known)
  if (near !== "") return `${head}${near}`
  const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : ""
  return `${head}, which has ${known.toSorted().slice(0, SHOWN).join(", ")}${more}`
}
