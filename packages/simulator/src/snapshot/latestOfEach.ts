import { resourceOf } from "@rollcall/api"
import type { Listed } from "./outsideOwners.ts"

/** The objects of a snapshot, each once. */
export interface LatestObjects<A> {
  readonly objects: ReadonlyArray<A>
  /** The names (`Pod default/web-0`) of objects that the snapshot has in different states. */
  readonly changed: ReadonlyArray<string>
}

/** Returns what precedes the name of an object: `Pod default/`, or `Node `. */
const groupOf = ({ kind, object: { metadata } }: Listed): string =>
  resourceOf(kind).namespaced ? `${kind} ${metadata.namespace ?? "default"}/` : `${kind} `

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
  const latest: Array<A> = []
  const places = new Map<string, Map<string, number>>()
  const changed = new Set<string>()
  const unnamed: Array<A> = []
  for (const one of loaded) {
    const { name = "" } = one.object.metadata
    if (name === "") {
      unnamed.push(one)
      continue
    }
    const group = groupOf(one)
    const ofGroup = places.get(group) ?? new Map<string, number>()
    places.set(group, ofGroup)
    const place = ofGroup.get(name)
    const known = place === undefined ? undefined : latest[place]
    if (place === undefined || known === undefined) ofGroup.set(name, latest.push(one) - 1)
    else {
      if (!isSame(known, one)) changed.add(group + name)
      if (isLater(known, one)) latest[place] = one
    }
  }
  for (const one of unnamed) latest.push(one)
  return { objects: latest, changed: [...changed] }
}
