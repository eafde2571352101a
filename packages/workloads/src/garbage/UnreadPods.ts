import type { KubeObject } from "@rollcall/api"
import { isListedBefore, ListPositions } from "@rollcall/cluster"
import { sameOwners } from "./sameOwners.ts"

/** Whether an object that was listed first is no work for the graph, as long as its owners exist. */
const isQuiet = ({ metadata: { deletionTimestamp, ownerReferences = [], uid = "" } }: KubeObject): boolean =>
  deletionTimestamp === undefined && uid !== "" && Array.isArray(ownerReferences)

/** Whether a change of an object that was quiet leaves its item as it is. */
export const keepsItem = ({ metadata: before }: KubeObject, { metadata: after }: KubeObject): boolean =>
  after.deletionTimestamp === undefined &&
  (after.ownerReferences === before.ownerReferences ||
    (Array.isArray(after.ownerReferences) && sameOwners(before.ownerReferences, after.ownerReferences)))

/** The pods of a first list that an owner graph has not read: pods that only run never are. */
export class UnreadPods {
  private readonly pods: ReadonlyArray<KubeObject>
  /** The indexes of those that were taken. */
  private readonly taken = new Set<number>()
  private readonly positions: ListPositions
  private owners: Set<string> | undefined

  constructor(pods: ReadonlyArray<KubeObject>) {
    this.pods = pods
    this.positions = new ListPositions(pods, pods.length)
  }

  /** Whether these pods need not be read: they are no work, and can be found one by one because they have the order of a list. */
  static canBe(pods: ReadonlyArray<KubeObject>): boolean {
    return pods.every(
      (pod, index) => isQuiet(pod) && (index === 0 || isListedBefore(pods[index - 1] as KubeObject, pod))
    )
  }

  get size(): number {
    return this.pods.length - this.taken.size
  }

  /** Returns the pod with the name and the uid of this one, unless it was taken. */
  find({ metadata: { name = "", namespace = "", uid } }: KubeObject): KubeObject | undefined {
    const index = this.positions.find(name, namespace)
    if (index === undefined || this.taken.has(index)) return undefined
    const pod = this.pods[index] as KubeObject
    return pod.metadata.uid === uid ? pod : undefined
  }

  /** Removes a pod that `find` has returned. */
  take({ metadata: { name = "", namespace = "" } }: KubeObject): void {
    const index = this.positions.find(name, namespace)
    if (index !== undefined) this.taken.add(index)
  }

  /** The uids of the owners of the pods, and perhaps of taken ones. */
  get ownerUids(): ReadonlySet<string> {
    if (this.owners !== undefined) return this.owners
    this.owners = new Set()
    for (const { metadata } of this.pods) for (const { uid } of metadata.ownerReferences ?? []) this.owners.add(uid)
    return this.owners
  }

  visit(visitor: (pod: KubeObject) => void): void {
    const { pods, taken } = this
    for (let index = 0; index < pods.length; index++) if (!taken.has(index)) visitor(pods[index] as KubeObject)
  }
}
