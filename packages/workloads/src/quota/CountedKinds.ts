import { type KindName, type KubeObject, kindNames, type ObjectOf, resourceOf } from "@rollcall/api"
import {
  type CountedObjects,
  type Evaluator,
  evaluatorOf,
  groupResourceText,
  isExtendedForQuota,
  type QuotaView
} from "@rollcall/api/quota"
import { type AnyKind, Cluster, type ClusterShape, type Informer, Informers } from "@rollcall/cluster"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { asKindName, customResourceOf, isCustomKind } from "../garbage/customKinds.ts"

/** A kind that quotas count, and its cached objects. */
interface Followed {
  readonly evaluator: Evaluator
  readonly informer: Informer<KindName>
}

export interface CountedKindsParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  /** Ends the watches. */
  readonly scope: Scope.Scope
  /** Called when objects of a namespace use less than before. */
  readonly freed: (namespace: string, evaluator: Evaluator) => void
  /** Called when the extended resources of device classes may have changed. */
  readonly classesChanged: () => void
}

const ofNamespace = ({ metadata }: KubeObject): string | undefined => metadata.namespace

/** The evaluators of the namespaced kinds of the API. */
const evaluators: ReadonlyMap<KindName, Evaluator> = new Map(
  kindNames.flatMap((kind): ReadonlyArray<readonly [KindName, Evaluator]> => {
    const evaluator = resourceOf(kind).namespaced ? evaluatorOf(groupResourceText(resourceOf(kind))) : undefined
    return evaluator === undefined ? [] : [[kind, evaluator]]
  })
)

const countPrefix = "count/"

/** How often a followed custom kind is looked up. Upstream: resourceQuotaController.Sync, by the discovery period. */
const LOOK_UP_MS = 30_000

/**
 * Follows the kinds that quotas count, each from the first quota that names it. Upstream:
 * pkg/controller/resourcequota/resource_quota_monitor.go, which follows all kinds at once.
 */
export class CountedKinds {
  private readonly parts: CountedKindsParts
  private readonly followed = new Map<AnyKind, Followed>()
  private deviceClasses: Informer<"DeviceClass"> | undefined

  constructor(parts: CountedKindsParts) {
    this.parts = parts
  }

  /** Returns the objects of a namespace that can use the limited resources, once all are listed. */
  readonly inNamespace = Effect.fnUntraced(
    { self: this },
    function* (this: CountedKinds, namespace: string, limited: ReadonlyArray<string>) {
      if (limited.some(isExtendedForQuota)) yield* this.followClasses()
      const counted: Array<CountedObjects> = []
      for (const [kind, evaluator] of yield* this.kindsOf(limited)) {
        const { informer } = this.followed.get(kind) ?? (yield* this.followWhileServed(kind, evaluator))
        yield* informer.synced
        counted.push({ evaluator, objects: informer.byIndex("namespace", namespace) })
      }
      return counted
    }
  )

  /** Returns what evaluators may ask now. */
  view(): QuotaView {
    return {
      now: this.parts.timers.now(),
      deviceClasses: () => this.deviceClasses?.list() ?? [],
      claims: (namespace) => this.informerOf("ResourceClaim")?.byIndex("namespace", namespace) ?? [],
      pod: (namespace, name) => this.informerOf("Pod")?.find(name, namespace)
    }
  }

  private informerOf<K extends KindName>(kind: K): Informer<K> | undefined {
    return this.followed.get(kind)?.informer as Informer<K> | undefined
  }

  private readonly kindsOf = Effect.fnUntraced(
    { self: this },
    function* (this: CountedKinds, limited: ReadonlyArray<string>) {
      const kinds = new Map<AnyKind, Evaluator>()
      const view = this.view()
      for (const [kind, evaluator] of evaluators) {
        if (evaluator.matching(limited, view).length > 0) kinds.set(kind, evaluator)
      }
      const known = [...kinds.values()]
      const unknown = limited.filter(
        (name) =>
          name.startsWith(countPrefix) && known.every((evaluator) => evaluator.matching([name], view).length === 0)
      )
      for (const name of unknown) {
        const resource = name.slice(countPrefix.length)
        const evaluator = evaluatorOf(resource)
        const kind = yield* this.customKind(resource)
        if (kind !== undefined && evaluator !== undefined) kinds.set(kind, evaluator)
      }
      return kinds
    }
  )

  /**
   * Returns the custom kind of a resource; undefined if no definition serves it. A definition has the resource's name.
   * The account of the controller may list objects, and not get them.
   */
  private customKind(resource: string) {
    const named = { fieldSelector: `metadata.name=${resource}` }
    return Effect.map(this.parts.cluster.list("CustomResourceDefinition", named), ({ items: [definition] }) => {
      const served = definition && customResourceOf(definition)
      return served?.namespaced === true ? served.kind : undefined
    })
  }

  /** Follows a kind; a custom one until its definition no longer serves it. */
  private readonly followWhileServed = Effect.fnUntraced(
    { self: this },
    function* (this: CountedKinds, kind: AnyKind, evaluator: Evaluator) {
      const { scope } = this.parts
      if (!isCustomKind(kind)) return yield* this.follow(kind, evaluator, scope)
      const own = yield* Scope.fork(scope)
      const added = yield* this.follow(kind, evaluator, own)
      const lookUp = this.customKind(evaluator.resource).pipe(Effect.catch(() => Effect.succeed(kind)))
      yield* Effect.sleep(LOOK_UP_MS).pipe(
        Effect.andThen(lookUp),
        Effect.repeat({ while: (served) => served === kind }),
        Effect.andThen(() => this.unfollow(kind, own)),
        Effect.forkIn(scope)
      )
      return added
    }
  )

  private unfollow(kind: AnyKind, own: Scope.Closeable): Effect.Effect<void> {
    this.followed.delete(kind)
    return Scope.close(own, Exit.void)
  }

  /** Follows the device classes. Not waited for, since a server may not serve them: quotas are counted again with them. */
  private readonly followClasses = Effect.fnUntraced({ self: this }, function* (this: CountedKinds) {
    if (this.deviceClasses !== undefined) return
    const { classesChanged, cluster, scope, timers } = this.parts
    const { get } = yield* Informers
    const handler = { onAdd: classesChanged, onUpdate: classesChanged, onDelete: classesChanged }
    this.deviceClasses = yield* get("DeviceClass", { handlers: [handler] }).pipe(
      Effect.provideService(Scope.Scope, scope),
      Effect.provideService(Cluster, cluster),
      Effect.provideService(Timers, timers)
    )
  })

  private readonly follow = Effect.fnUntraced(
    { self: this },
    function* (this: CountedKinds, kind: AnyKind, evaluator: Evaluator, scope: Scope.Scope) {
      const { cluster, freed, timers } = this.parts
      const { get } = yield* Informers
      const informer = yield* get(asKindName(kind), {
        indexes: { namespace: ofNamespace },
        handlers: [
          {
            onUpdate: (before: KubeObject, object: KubeObject) => {
              if (evaluator.freesByUpdate?.(before, object, timers.now()) !== true) return
              freed(object.metadata.namespace ?? "", evaluator)
            },
            onDelete: ({ metadata }: ObjectOf<KindName>) => freed(metadata.namespace ?? "", evaluator)
          }
        ]
      }).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.provideService(Cluster, cluster),
        Effect.provideService(Timers, timers)
      )
      const added: Followed = { evaluator, informer }
      this.followed.set(kind, added)
      return added
    }
  )
}

/** Whether a limit is of a kind of the API; those of custom kinds are found by their definitions. */
export const isCountedByName = (name: string): boolean =>
  [...evaluators.values()].some((evaluator) => evaluator.matching([name], { now: 0 }).length > 0)
