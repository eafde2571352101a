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
import { byRevision, holdsTemplate, nextRevision, type RevisionRequest } from "./revisions.ts"

/** The newest revision, and how many names were found taken on the way to it. */
export interface CurrentRevision {
  readonly revision: ControllerRevision
  readonly collisionCount: number
  /** All of the owner's before this one, oldest first. */
  readonly known: ReadonlyArray<ControllerRevision>
}

/** The value of the index `owner` of ControllerRevisions. */
export const revisionOwner = (revision: ControllerRevision): string | undefined => getControllerOf(revision)?.uid

/** The indexes that the informer of ControllerRevisions is to have. */
export const revisionIndexes = { owner: revisionOwner, orphans: orphanIn }

/** Keeps the ControllerRevisions of sets. Upstream: pkg/controller/history/controller_history.go. */
export class History {
  private readonly cluster: ClusterShape
  private readonly revisions: Informer<"ControllerRevision">

  /** `revisions` has the indexes of `revisionIndexes`. */
  constructor(cluster: ClusterShape, revisions: Informer<"ControllerRevision">) {
    this.cluster = cluster
    this.revisions = revisions
  }

  of(owner: KubeObject): ReadonlyArray<ControllerRevision> {
    return this.revisions.byIndex("owner", owner.metadata.uid ?? "").sort(byRevision)
  }

  /**
   * The owner's revisions, those that nobody has and that it selects among them: a set that was made anew over pods which were left
   * as orphans knows by these that they are not out of date. Upstream: AdoptOrphanRevisions, ClaimControllerRevisions.
   */
  private readonly claimed = Effect.fnUntraced(
    { self: this },
    function* (this: History, { owner, selector }: RevisionRequest) {
      const adopted: Array<ControllerRevision> = []
      for (const revision of this.revisions.byIndex("orphans", owner.metadata.namespace ?? "")) {
        const { deletionTimestamp, labels, name = "", namespace, uid } = revision.metadata
        if (deletionTimestamp !== undefined || !matchesLabelSelector(selector, labels)) continue
        const body = { metadata: { ownerReferences: [controllerReference(owner)], uid } }
        const key = { namespace, name }
        const mine = yield* this.cluster
          .patch("ControllerRevision", key, "strategic", body)
          .pipe(Effect.catchIf(isNotFound, () => Effect.succeed(undefined)))
        if (mine !== undefined) adopted.push(mine)
      }
      const known = this.of(owner)
      return adopted.length === 0 ? known : [...known, ...adopted].sort(byRevision)
    }
  )

  /** The revision of the template, made or made the newest if need be. */
  readonly current: (request: RevisionRequest) => Effect.Effect<CurrentRevision, ClusterError> = Effect.fnUntraced(
    { self: this },
    function* (this: History, request: RevisionRequest) {
      return yield* this.among(request, yield* this.claimed(request))
    }
  )

  private readonly among: (
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
      const made = yield* this.cluster
        .create("ControllerRevision", step.revision)
        .pipe(Effect.catchIf(isAlreadyExists, () => this.taken(request, step.revision)))
      return made === undefined
        ? yield* this.among({ ...request, collisionCount: collisionCount + 1 }, known)
        : { revision: made, collisionCount, known }
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

  /** Ours and only not seen yet; or undefined: the name is taken, and the next try needs another hash. */
  private taken(
    { owner, template }: RevisionRequest,
    { metadata: { name = "", namespace } }: ControllerRevision
  ): Effect.Effect<ControllerRevision | undefined, ClusterError> {
    return Effect.map(this.cluster.get("ControllerRevision", { namespace, name }), (found) =>
      getControllerOf(found)?.uid === owner.metadata.uid && holdsTemplate(found, template) ? found : undefined
    )
  }
}
