import {
  apiVersionOf,
  defaulters,
  isKindName,
  type KindName,
  type KubeObject,
  type ObjectOf,
  type Resource,
  resourceOf,
  type Status
} from "@rollcall/api"
import { type FieldErrors, validations } from "@rollcall/api/validation"
import type { MessageType } from "@rollcall/api/wire"
import type { AnyKind, CustomKind, Subresource } from "@rollcall/cluster"
import type { ScalePaths } from "../objects/values.ts"
import type { Printer } from "../printing/index.ts"
import type { MaybeSteps } from "../turns/Steps.ts"
import type { FieldIndex } from "../watch/KindCache.ts"

/**
 * What is particular about a kind's life in the API: all hooks are pure, share what they do not change, and return the same
 * reference when there is nothing to do. Upstream: the strategies of pkg/registry.
 */
export interface Strategy<A extends KubeObject = KubeObject> {
  /** Clears or sets what the caller may not choose. The metadata is the server's already. */
  prepareForCreate?(object: A): A
  /** On the main resource, after the status has been restored. */
  prepareForUpdate?(object: A, stored: A): A
  /** On the status subresource, after the spec has been restored. */
  prepareForStatusUpdate?(object: A, stored: A): A
  /**
   * Whether the update is a heartbeat: it changes something that the kind has many times an hour, and nothing that needs
   * preparation. Only asked of updates that leave the metadata as it was. Kinds without it have no such lane.
   */
  isRenewal?(object: A, stored: A): boolean
  /** Changes beside those of the spec that count as a new generation. */
  movesGeneration?(object: A, stored: A): boolean
  /** Before anything is made of a deletion: sets what holds the object until somebody has cleaned up after it. */
  prepareForDelete?(object: A): A
  /** What the writer of the main resource should be told of an object that was let through. */
  warnings?(object: A): ReadonlyArray<string>
}

/**
 * Another kind's objects, shown under this one's group and version: what is stored, watched and counted are the other kind's. Both
 * functions are pure; an object that comes back unchanged converts back to an equal one. A selectable field of the view is read of the
 * converted object.
 */
export interface ViewOf {
  readonly of: AnyKind
  toStorage(object: KubeObject): KubeObject
  fromStorage(object: KubeObject): KubeObject
}

/** One entry of the resource table: all that the pipeline knows about a kind. */
export interface KindDefinition<A extends KubeObject = KubeObject> {
  /** What requests call the kind: its name, or `Kind.group/version` of one that is not among the modelled ones. */
  readonly key: AnyKind
  readonly resource: Resource
  /** Set on views. */
  readonly view?: ViewOf
  readonly apiVersion: string
  /** Store keys start with this: `/registry/pods/`. */
  readonly prefix: string
  readonly subresources: ReadonlySet<Subresource>
  /** The kind of options of its `proxy` subresource, by which requests reach what an object stands for. */
  readonly proxyOptions?: string
  readonly strategy: Strategy<A>
  /** Fills in what the caller left out. */
  defaults(object: A): A
  /** Of an object that is defaulted, prepared and admitted. */
  validate(object: A): FieldErrors
  validateUpdate(object: A, stored: A): FieldErrors
  validateStatusUpdate(object: A, stored: A): FieldErrors
  /** As `validate`, and with `stored` as `validateUpdate` or `validateStatusUpdate`, where that can take long; undefined: it cannot. */
  judging?(object: A, stored: A | undefined, subresource: Subresource | undefined): MaybeSteps<FieldErrors>
  /** Of the finalize subresource, which changes the spec of a namespace. */
  validateFinalize?(object: A, stored: A): FieldErrors
  /** PUT of a missing object creates it. */
  readonly allowCreateOnUpdate: boolean
  /** PUT without a resourceVersion overwrites whatever is there. */
  readonly allowUnconditionalUpdate: boolean
  /** Counts changes of the spec in metadata.generation. */
  readonly tracksGeneration: boolean
  /** The status of a new object, whatever the caller gave; undefined: what the caller gave. */
  readonly initialStatus: unknown
  /** The text of a selectable field beyond name and namespace. */
  fieldOf?(object: A, field: string): string | undefined
  readonly index: FieldIndex | undefined
  /** How many past events watches can resume from. */
  readonly history: number
  /** Objects go by themselves when they have not been written for so long. */
  readonly expireMs: number | undefined
  /** How it looks in a table, where that does not follow from its group and kind. */
  readonly printer?: Printer
  /** What its objects may say, where the tables of the API do not tell: custom resources. */
  readonly message?: MessageType
  /** The same as OpenAPI has it. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** Where its objects keep their replicas, where that is not as built-in kinds have it. */
  readonly scale?: ScalePaths
  /** Fields to select by, beside name and namespace; undefined: as its kind has them. */
  readonly selectable?: ReadonlyArray<string>
  /** Only others' views show its objects: it has no address. */
  readonly hidden?: boolean
  /** The version in which objects are stored, where it is another one. */
  readonly storageVersion?: string
  /** What clients of this version are told. */
  readonly deprecation?: string
  /** Why nothing may be created now. */
  createRefusal?(): Status | undefined
}

/** The key of a kind that is not among the modelled ones. */
export const customKind = ({ group, kind, version }: Pick<Resource, "group" | "kind" | "version">): CustomKind =>
  `${kind}.${group}/${version}`

/** A custom resource: neither of the API itself nor a view of what is. */
export const isCustom = ({ key, view }: KindDefinition): boolean =>
  !isKindName(key) && (view === undefined || !isKindName(view.of))

/** What an entry has to say; the rest follows from the kind's name. */
export interface KindOptions<A extends KubeObject> {
  /** The directory under /registry where it is not the plural. */
  readonly directory?: string
  readonly subresources?: ReadonlyArray<Subresource>
  readonly proxyOptions?: string
  readonly strategy?: Strategy<A>
  readonly allowCreateOnUpdate?: boolean
  readonly allowUnconditionalUpdate?: boolean
  readonly tracksGeneration?: boolean
  readonly initialStatus?: unknown
  fieldOf?(object: A, field: string): string | undefined
  /** A selectable field to find objects by. */
  readonly indexedField?: string
  validateFinalize?(object: A, stored: A): FieldErrors
  readonly history?: number
  readonly expireMs?: number
}

const DEFAULT_HISTORY = 8192

export const define = <K extends KindName>(kind: K, options: KindOptions<ObjectOf<K>> = {}): KindDefinition => {
  const resource = resourceOf(kind)
  const rules = validations[kind]
  const { fieldOf, indexedField, proxyOptions, validateFinalize } = options
  const definition: KindDefinition<ObjectOf<K>> = {
    key: kind,
    resource,
    apiVersion: apiVersionOf(kind),
    prefix: `/registry/${options.directory ?? resource.plural}/`,
    subresources: new Set(options.subresources ?? []),
    ...(proxyOptions === undefined ? {} : { proxyOptions }),
    strategy: options.strategy ?? {},
    defaults: defaulters[kind],
    validate: rules.create,
    validateUpdate: rules.update,
    validateStatusUpdate: rules.updateStatus ?? rules.update,
    allowCreateOnUpdate: options.allowCreateOnUpdate ?? false,
    allowUnconditionalUpdate: options.allowUnconditionalUpdate ?? true,
    tracksGeneration: options.tracksGeneration ?? false,
    initialStatus: options.initialStatus,
    ...(fieldOf === undefined ? {} : { fieldOf }),
    ...(validateFinalize === undefined ? {} : { validateFinalize }),
    index:
      indexedField === undefined || fieldOf === undefined
        ? undefined
        : { field: indexedField, valueOf: (object) => fieldOf(object as ObjectOf<K>, indexedField) ?? "" },
    history: options.history ?? DEFAULT_HISTORY,
    expireMs: options.expireMs
  }
  return definition
}

/** What an entry may say of a kind that is not modelled, beyond its rules. */
type CustomTraits = Partial<
  Pick<
    KindDefinition,
    | "createRefusal"
    | "deprecation"
    | "fieldOf"
    | "hidden"
    | "judging"
    | "message"
    | "printer"
    | "scale"
    | "schema"
    | "selectable"
    | "storageVersion"
    | "view"
  >
>

/** The rules of a kind that has no entry among the modelled ones: a custom resource, or a view (`view`) of another kind. */
export interface CustomOptions extends CustomTraits {
  /** Undefined: anything goes that is an object. */
  validate?(object: KubeObject): FieldErrors
  validateUpdate?(object: KubeObject, stored: KubeObject): FieldErrors
  validateStatusUpdate?(object: KubeObject, stored: KubeObject): FieldErrors
  defaults?(object: KubeObject): KubeObject
  readonly subresources?: ReadonlyArray<Subresource>
  readonly strategy?: Strategy
  readonly allowUnconditionalUpdate?: boolean
  readonly tracksGeneration?: boolean
  readonly initialStatus?: unknown
  readonly history?: number
}

/** An entry that can be added to a registry at run time, and removed. */
export const defineCustom = (resource: Resource, options: CustomOptions = {}): KindDefinition => {
  const {
    allowUnconditionalUpdate = false,
    defaults = (object) => object,
    history = DEFAULT_HISTORY,
    initialStatus,
    strategy = {},
    subresources = [],
    tracksGeneration = false,
    validate = noErrors,
    validateUpdate = noErrors,
    validateStatusUpdate = validateUpdate,
    ...traits
  } = options
  return {
    key: customKind(resource),
    resource,
    apiVersion: `${resource.group}/${resource.version}`,
    prefix: `/registry/${resource.group}/${resource.plural}/`,
    subresources: new Set(subresources),
    strategy,
    defaults,
    validate,
    validateUpdate,
    validateStatusUpdate,
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate,
    tracksGeneration,
    initialStatus,
    index: undefined,
    history,
    expireMs: undefined,
    ...traits
  }
}

const noErrors = (): FieldErrors => []
