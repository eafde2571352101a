import type { KindState } from "./KindState.ts"

/** The prefix of all store keys, as in etcd: kube-apiserver's default of `--etcd-prefix`. */
export const ROOT = "/registry/"

/** The kind, namespace and name of an object, from its store key. */
export interface Place {
  readonly state: KindState
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string
  readonly name: string
}

/** The kinds by the store directories of their objects. */
export class Directories {
  private readonly byPrefix = new Map<string, KindState>()

  set(prefix: string, state: KindState): void {
    this.byPrefix.set(prefix, state)
  }

  delete(prefix: string): void {
    this.byPrefix.delete(prefix)
  }

  values(): IterableIterator<KindState> {
    return this.byPrefix.values()
  }

  /**
   * Parses a store key: `/registry/<directory>/[<namespace>/]<name>`. The directory of a custom resource and of some
   * built-in kinds has two parts: `/registry/<group>/<plural>/…`. Returns undefined if no kind has the directory.
   */
  placeOf(key: string): Place | undefined {
    let end = key.indexOf("/", ROOT.length) + 1
    let state = this.byPrefix.get(key.slice(0, end))
    if (state === undefined) {
      end = key.indexOf("/", end) + 1
      state = this.byPrefix.get(key.slice(0, end))
    }
    if (state === undefined) return undefined
    if (!state.definition.resource.namespaced) return { state, namespace: "", name: key.slice(end) }
    const slash = key.indexOf("/", end)
    return { state, namespace: key.slice(end, slash), name: key.slice(slash + 1) }
  }
}
