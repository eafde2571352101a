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
 * The kind-specific behaviour of an object in the API. All hooks are pure, share unchanged parts, and return the same
 * reference when there is nothing to do. Upstream: the strategies of pkg/registry.
 */
export interface Strategy<A extends KubeObject = KubeObject> {
  /** Clears or sets fields that the caller may not choose. The server has already set the metadata. */
  prepareForCreate?(object: A): A
  /** For the main resource, after the status has been restored. */
  prepareForUpdate?(object: A, stored: A): A
  /** For the status subresource, after the spec has been restored. */
  prepareForStatusUpdate?(object: A, stored: A): A
  /**
   * Whether the update is a heartbeat: it changes a field that changes many times an hour, and nothing that needs
   * preparation. Called only for updates that leave the metadata unchanged. Kinds without it have no fast path.
   */
  isRenewal?(object: A, stored: A): boolean
  /** Changes outside the spec that increase the generation. */
  movesGeneration?(object: A, stored: A): boolean
  /** Called before a deletion: adds the finalizers of controllers that must clean up first. */
  prepareForDelete?(object: A): A
  /** Warnings for the writer of an accepted object. */
  warnings?(object: A): ReadonlyArray<string>
}

/**
 * Another kind's objects under this kind's group and version: storage, watches and counts are those of the other kind.
 * Both functions are pure; an object that is converted and converted back equals the original. Selectable fields of the
 * view are read from the converted object.
 */
export interface ViewOf {
  readonly of: AnyKind
  toStorage(object: KubeObject): KubeObject
  fromStorage(object: KubeObject): KubeObject
}

/** One entry of the resource table: everything that the pipeline knows about a kind. */
export interface KindDefinition<A extends KubeObject = KubeObject> {
  /** The kind's name in requests: its kind, or `Kind.group/version` of a kind that is not modelled. */
  readonly key: AnyKind
  readonly resource: Resource
  /** Set for views. */
  readonly view?: ViewOf
  readonly apiVersion: string
  /** The prefix of store keys: `/registry/pods/`. */
  readonly prefix: string
  readonly subresources: ReadonlySet<Subresource>
  /** The kind of the options of its `proxy` subresource. */
  readonly proxyOptions?: string
  readonly strategy: Strategy<A>
  /** Sets defaults for fields that the caller omitted. */
  defaults(object: A): A
  /** Validates an object that is defaulted, prepared and admitted. */
  validate(object: A): FieldErrors
  validateUpdate(object: A, stored: A): FieldErrors
  validateStatusUpdate(object: A, stored: A): FieldErrors
  /**
   * As `validate`, and with `stored` as `validateUpdate` or `validateStatusUpdate`, in steps where validation can take
   * long; undefined: it cannot.
   */
  validateInSteps?(object: A, stored: A | undefined, subresource: Subresource | undefined): MaybeSteps<FieldErrors>
  /** Validates an update through the finalize subresource, which changes the spec of a namespace. */
  validateFinalize?(object: A, stored: A): FieldErrors
  /** PUT of a missing object creates it. */
  readonly allowCreateOnUpdate: boolean
  /** PUT without a resourceVersion overwrites the stored object. */
  readonly allowUnconditionalUpdate: boolean
  /** Changes of the spec increase metadata.generation. */
  readonly tracksGeneration: boolean
  /** The status of a new object, replacing the caller's; undefined: the caller's. */
  readonly initialStatus: unknown
  /** Returns the text of a selectable field other than name and namespace. */
  fieldOf?(object: A, field: string): string | undefined
  readonly index: FieldIndex | undefined
  /** The number of past events from which watches can resume. */
  readonly history: number
  /** Objects are removed when they have not been written for this long. */
  readonly expireMs: number | undefined
  /** Its table, where it does not follow from group and kind. */
  readonly printer?: Printer
  /** The wire type of its objects, where the API's tables have none: custom resources. */
  readonly message?: MessageType
  /** The OpenAPI schema of its objects. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** The scale paths of its objects, where they differ from those of built-in kinds. */
  readonly scale?: ScalePaths
  /** Selectable fields besides name and namespace; undefined: those of its kind. */
  readonly selectable?: ReadonlyArray<string>
  /** Its objects are served only through views of other kinds: it has no path. */
  readonly hidden?: boolean
  /** The version in which objects are stored, if different. */
  readonly storageVersion?: string
  /** The deprecation warning for clients of this version. */
  readonly deprecation?: string
  /** Returns why no object can be created now. */
  createRefusal?(): Status | undefined
}

/** Returns the key of a kind that is not modelled. */
export const customKind = ({ group, kind, version }: Pick<Resource, "group" | "kind" | "version">): CustomKind =>
  `${kind}.${group}/${version}`

/** Whether the kind is a custom resource: neither built in nor a view. */
export const isCustom = ({ key, view }: KindDefinition): boolean =>
  !isKindName(key) && (view === undefined || !isKindName(view.of))

/** The options of a table entry; the rest follows from the kind's name. */
export interface KindOptions<A extends KubeObject> {
  /** The directory under /registry, if it is not the plural. */
  readonly directory?: string
  readonly subresources?: ReadonlyArray<Subresource>
  readonly proxyOptions?: string
  readonly strategy?: Strategy<A>
  readonly allowCreateOnUpdate?: boolean
  readonly allowUnconditionalUpdate?: boolean
  readonly tracksGeneration?: boolean
  readonly initialStatus?: unknown
  fieldOf?(object: A, field: string): string | undefined
  /** The selectable field with an index. */
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

/** The optional parts of a definition that is not modelled. */
type CustomTraits = Partial<
  Pick<
    KindDefinition,
    | "createRefusal"
    | "deprecation"
    | "fieldOf"
    | "hidden"
    | "validateInSteps"
    | "message"
    | "printer"
    | "scale"
    | "schema"
    | "selectable"
    | "storageVersion"
    | "view"
  >
>

/** The rules of a kind that is not modelled: a custom resource, or a view (`view`) of another kind. */
export interface CustomOptions extends CustomTraits {
  /** Undefined: any object is valid. */
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

/** Makes a definition that can be added to a registry at run time, and removed. */
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
