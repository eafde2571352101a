import {
  type ControllerRevision,
  controllerReference,
  getControllerOf,
  type KubeObject,
  matchesLabelSelector
} from "@rollcall/api"
import { type ClusterError, type ClusterShape, type Informer, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { orphanIn } from "../claims.ts"
import { mayAdopt } from "../mayAdopt.ts"
import { byRevision, holdsTemplate, nextRevision, type RevisionRequest } from "./revisions.ts"

/** The newest revision, and the number of name collisions so far. */
export interface CurrentRevision {
  readonly revision: ControllerRevision
  readonly collisionCount: number
  /** All revisions of the owner before this call, oldest first. */
  readonly known: ReadonlyArray<ControllerRevision>
}

/** The value of the index `owner` of ControllerRevisions. */
export const revisionOwner = (revision: ControllerRevision): string | undefined => getControllerOf(revision)?.uid

/** The indexes that the informer of ControllerRevisions needs. */
export const revisionIndexes = { owner: revisionOwner, orphans: orphanIn }

/** Maintains the ControllerRevisions of sets. Upstream: pkg/controller/history/controller_history.go. */
export class History {
  private readonly cluster: ClusterShape
  private readonly revisions: Informer<"ControllerRevision">

  /** `revisions` has the indexes of `revisionIndexes`. */
  constructor(cluster: ClusterShape, revisions: Informer<"ControllerRevision">) {
    this.cluster = cluster
    this.revisions = revisions
  }

  /** The owner's revisions in the cache, oldest first. */
  revisionsOf(owner: KubeObject): ReadonlyArray<ControllerRevision> {
    return this.revisions.byIndex("owner", owner.metadata.uid ?? "").sort(byRevision)
  }

  /**
   * Returns the owner's revisions, and adopts the orphans that it selects: a recreated set whose pods were orphaned
   * finds by these that its pods are up to date. Upstream: AdoptOrphanRevisions, ClaimControllerRevisions.
   */
  private readonly claimRevisions = Effect.fnUntraced(
    { self: this },
    function* (this: History, { owner, selector }: RevisionRequest) {
      const adopted: Array<ControllerRevision> = []
      const orphans = this.revisions
        .byIndex("orphans", owner.metadata.namespace ?? "")
        .filter(({ metadata: { deletionTimestamp, labels } }) => {
          return deletionTimestamp === undefined && matchesLabelSelector(selector, labels)
        })
      if (orphans.length > 0) yield* mayAdopt(this.cluster, owner)
      for (const { metadata } of orphans) {
        const { name = "", namespace, uid } = metadata
        const body = { metadata: { ownerReferences: [controllerReference(owner)], uid } }
        const key = { namespace, name }
        const claimed = yield* this.cluster
          .patch("ControllerRevision", key, "strategic", body)
          .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
        if (claimed !== undefined) adopted.push(claimed)
      }
      const known = this.revisionsOf(owner)
      return adopted.length === 0 ? known : [...known, ...adopted].sort(byRevision)
    }
  )

  /** Returns the template's revision as the newest one, creating or renumbering it if need be. */
  readonly current: (request: RevisionRequest) => Effect.Effect<CurrentRevision, ClusterError> = Effect.fnUntraced(
    { self: this },
    function* (this: History, request: RevisionRequest) {
      return yield* this.currentAmong(request, yield* this.claimRevisions(request))
    }
  )

  /** Does what `current` describes, given the owner's revisions; with the next collision count if a name is taken. */
  private readonly currentAmong: (
    request: RevisionRequest,
    known: ReadonlyArray<ControllerRevision>
  ) => Effect.Effect<CurrentRevision, ClusterError> = Effect.fnUntraced(
    { self: this },
    function* (this: History, request: RevisionRequest, known: ReadonlyArray<ControllerRevision>) {
      const { collisionCount } = request
      const step = nextRevision(request, known)
      if (step.do === "nothing") return { revision: step.revision, collisionCount, known }
      if (step.do === "raise") {
        const raised = yield* this.cluster.update("ControllerRevision", step.revision)
        return { revision: raised, collisionCount, known }
      }
      const created = yield* this.cluster
        .create("ControllerRevision", step.revision)
        .pipe(Effect.catchIf(isAlreadyExists, () => this.ownRevisionNamed(request, step.revision)))
      return created === undefined
        ? yield* this.currentAmong({ ...request, collisionCount: collisionCount + 1 }, known)
        : { revision: created, collisionCount, known }
    }
  )

  remove(revisions: ReadonlyArray<ControllerRevision>): Effect.Effect<void, ClusterError> {
    return Effect.forEach(
      revisions,
      ({ metadata: { name = "", namespace } }) =>
        this.cluster
          .delete("ControllerRevision", { namespace, name })
          .pipe(Effect.catchIf(isNotFound, () => Effect.void)),
      { discard: true }
    )
  }

  /**
   * Reads the revision that has the name already. Returns it if it is the owner's own, which the cache does not show
   * yet; undefined if not: then the next attempt needs another hash.
   */
  private ownRevisionNamed(
    { owner, template }: RevisionRequest,
    { metadata: { name = "", namespace } }: ControllerRevision
  ): Effect.Effect<ControllerRevision | undefined, ClusterError> {
    return Effect.map(this.cluster.get("ControllerRevision", { namespace, name }), (found) =>
      getControllerOf(found)?.uid === owner.metadata.uid && holdsTemplate(found, template) ? found : undefined
    )
  }
}
