import { resourceOf } from "@rollcall/api"
import type { Listed } from "./outsideOwners.ts"

/** The objects of a snapshot, each once. */
export interface LatestObjects<A> {
  readonly objects: ReadonlyArray<A>
  /** The names (`Pod default/web-0`) of objects that the snapshot has in different states. */
  readonly changed: ReadonlyArray<string>
}

const nameOf = ({ kind, object: { metadata } }: Listed): string =>
  resourceOf(kind).namespaced
    ? `${kind} ${metadata.namespace ?? "default"}/${metadata.name}`
    : `${kind} ${metadata.name}`

const versionOf = ({ object: { metadata } }: Listed): number =>
  metadata.resourceVersion === undefined ? Number.NaN : Number(metadata.resourceVersion)

/** Returns whether the second object was read later: it has the higher resourceVersion, or is the later one in the files if that is not known. */
const isLater = (first: Listed, second: Listed): boolean => !(versionOf(first) > versionOf(second))

const isSame = ({ object: { metadata: first } }: Listed, { object: { metadata: second } }: Listed): boolean =>
  first.uid === second.uid && first.resourceVersion !== undefined && first.resourceVersion === second.resourceVersion

/**
 * Returns the latest state of each object of a snapshot, in the place of its first one: files that are read together, such as the output
 * of two commands, may have an object several times.
 */
export const latestOfEach = <A extends Listed>(loaded: ReadonlyArray<A>): LatestObjects<A> => {
  const latest = new Map<string, A>()
  const changed = new Set<string>()
  const unnamed: Array<A> = []
  for (const one of loaded) {
    if ((one.object.metadata.name ?? "") === "") {
      unnamed.push(one)
      continue
    }
    const name = nameOf(one)
    const known = latest.get(name)
    if (known !== undefined && !isSame(known, one)) changed.add(name)
    if (known === undefined || isLater(known, one)) latest.set(name, one)
  }
  return { objects: [...latest.values(), ...unnamed], changed: [...changed] }
}
