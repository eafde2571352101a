import { type ControllerRevision, getControllerOf, type KubeObject } from "@rollcall/api"
import { type ClusterError, type ClusterShape, type Informer, isAlreadyExists, isNotFound } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import { byRevision, holdsTemplate, nextRevision, type RevisionRequest } from "./revisions.ts"

/** The newest revision, and how many names were found taken on the way to it. */
export interface CurrentRevision {
  readonly revision: ControllerRevision
  readonly collisionCount: number
}

/** The value of the index `owner` of ControllerRevisions. */
export const revisionOwner = (revision: ControllerRevision): string | undefined => getControllerOf(revision)?.uid

/** Keeps the ControllerRevisions of sets. Upstream: pkg/controller/history/controller_history.go. */
export class History {
  private readonly cluster: ClusterShape
  private readonly revisions: Informer<"ControllerRevision">

  /** `revisions` has an index `owner` by the UID of the controller. */
  constructor(cluster: ClusterShape, revisions: Informer<"ControllerRevision">) {
    this.cluster = cluster
    this.revisions = revisions
  }

  of(owner: KubeObject): ReadonlyArray<ControllerRevision> {
    return this.revisions.byIndex("owner", owner.metadata.uid ?? "").sort(byRevision)
  }

  /** The revision of the template, made or made the newest if need be. */
  readonly current: (request: RevisionRequest) => Effect.Effect<CurrentRevision, ClusterError> = Effect.fnUntraced(
    { self: this },
    function* (this: History, request: RevisionRequest) {
      const { collisionCount } = request
      const step = nextRevision(request, this.of(request.owner))
      if (step.do === "nothing") return { revision: step.revision, collisionCount }
      if (step.do === "raise") {
        return { revision: yield* this.cluster.update("ControllerRevision", step.revision), collisionCount }
      }
      const made = yield* this.cluster
        .create("ControllerRevision", step.revision)
        .pipe(Effect.catchIf(isAlreadyExists, () => this.taken(request, step.revision)))
      return made === undefined
        ? yield* this.current({ ...request, collisionCount: collisionCount + 1 })
        : { revision: made, collisionCount }
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
