import {
  apiVersionOf,
  isKindName,
  type Kind,
  type KindName,
  type KubeObject,
  kindOf,
  type ObjectOf,
  type Resource,
  type Status
} from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import type { ScalePaths } from "@rollcall/api/values"
import { alwaysWrittenFields, type MessageType, wireTypeOf } from "@rollcall/api/wire"
import type { AnyKind, CustomKind, Subresource } from "@rollcall/cluster"
import type { VersionConversion } from "@rollcall/field-ownership"
import { type Printer, printerOf } from "@rollcall/printers"
import type { Operation } from "@rollcall/store"
import type { MaybeSteps } from "@rollcall/time"
import type * as Result from "effect/Result"
import type { Deletion } from "../deletion/Deletion.ts"
import type { FieldIndex } from "../watch/KindCache.ts"

/**
 * The kind-specific behaviour of an object in the API. All hooks are pure, share unchanged parts, and return the same
 * reference when there is nothing to do. Upstream: the strategies of pkg/registry.
 */
export interface Strategy<A extends KubeObject = KubeObject> {
  /** Whether a new object without any name is named by a UID. */
  readonly isNamedByUid?: boolean
  /** Whether a prefix is the whole name of a new object. */
  readonly isNamedByPrefix?: boolean
  /** Sets the defaults of a new object as those of the kind do. */
  defaultsOfNew?(object: A): A
  /** Clears or sets fields of a new object that the caller may not choose. The server has already set the metadata. */
  prepareForCreate?(object: A): A
  /** Does the same for an object that a write of its status creates, where that differs. */
  prepareForStatusCreate?(object: A): A
  /** What the writer of a new object is warned of because of what `prepareForCreate` changes. */
  prepareWarnings?(object: A): ReadonlyArray<string>
  /** Does the same for an update of the main resource; `object` already has the stored status. */
  prepareForUpdate?(object: A, stored: A): A
  /** Removes from such an object, once its generation is counted, what still counts as a change of it. */
  dropOnUpdate?(object: A, stored: A): A
  /** Does the same for an update of the status subresource; `object` already has the stored spec. */
  prepareForStatusUpdate?(object: A, stored: A, nowMs: number): A
  /**
   * Returns a stored object as the main resource shows it; its subresources, and events as they happen, show it as it is
   * stored. Upstream: registry.Store, Decorator.
   */
  asShown?(object: A): A
  /** Returns a valid object as it is read from the store, which sets defaults again. */
  asReadBack?(object: A): A
  /**
   * Whether the update is a heartbeat: it changes a field that changes many times an hour, and nothing that
   * `prepareForUpdate` would change. Such an update takes the fast path (`pipeline/renew.ts`), which skips defaults and
   * preparation. Called only for updates that leave the metadata unchanged. Kinds without it have no fast path.
   */
  isRenewal?(object: A, stored: A): boolean
  /** Whether the update increases the generation although the spec is unchanged. */
  movesGeneration?(object: A, stored: A): boolean
  /** Returns the effect of a delete where it differs from that on other kinds; undefined where it does not. */
  beginDeletion?(object: A, nowMs: number): Deletion | undefined
  /** What the writer of a valid object is warned of; `stored` is undefined for a new object. */
  warnings?(object: A, stored: A | undefined): ReadonlyArray<string>
  /** What the writer of a valid status is warned of. */
  statusWarnings?(object: A, stored: A | undefined): ReadonlyArray<string>
}

/**
 * Makes a kind a view: it serves the objects of another kind (`of`) under its own group and version. Storage, watches
 * and counts are those of the other kind. Both functions are pure; an object that is converted and converted back
 * equals the original. Selectable fields of the view are read from the converted object.
 */
export interface ViewOf {
  readonly of: AnyKind
  toStorage(object: KubeObject): KubeObject
  fromStorage(object: KubeObject): KubeObject
  /** Converts in place of the two functions, if that takes a call. */
  readonly called?: CalledConversion | undefined
}

type Convert = (object: KubeObject, done: (result: Result.Result<KubeObject, string>) => void) => void

/** A conversion that calls another program: it takes time, and can fail with a message for the client. */
export interface CalledConversion extends VersionConversion {
  readonly toStorage: Convert
  readonly fromStorage: Convert
}

/** How an update of a subresource changes a part of an object. */
export interface Part<A extends KubeObject = KubeObject> {
  /** Returns the stored object with the part that the caller's has. */
  prepare(object: A, stored: A): A
  validate(object: A, stored: A): FieldErrors
}

/** One entry of the resource table: everything that the pipeline knows about a kind. */
export interface KindDefinition<A extends KubeObject = KubeObject> {
  /** The kind's name in requests: its kind, or `Kind.group/version` of a kind that is not modelled. */
  readonly key: AnyKind
  readonly resource: Resource
  /** The kind of its lists, if it is not that with `List` at its end. */
  readonly listKind?: string
  /** What the validation of an object warned of, whether or not it was valid. */
  readonly validationWarnings?: (object: KubeObject) => ReadonlyArray<string>
  /** The kind whose objects it serves, if it is a view. */
  readonly view?: ViewOf
  readonly apiVersion: string
  /** How objects get into the other version of the kind, for the owners of their fields there. */
  readonly versions?: VersionConversion
  /** The prefix of store keys, with slashes at both ends: `/registry/pods/`. */
  readonly prefix: string
  readonly subresources: ReadonlySet<Subresource>
  /**
   * The options kind of its `proxy` subresource in discovery and OpenAPI (`NodeProxyOptions`). Undefined if the kind has
   * no such subresource.
   */
  readonly proxyOptions?: string
  readonly strategy: Strategy<A>
  /** Returns the object with defaults for fields that the caller omitted. */
  defaults(object: A): A
  /** Why Go cannot convert a decoded object to its internal form; undefined if it can. */
  conversionFault?(object: A): string | undefined
  /** Validates an object that is defaulted, prepared and admitted. */
  validate(object: A): FieldErrors
  validateUpdate(object: A, stored: A): FieldErrors
  validateStatusUpdate(object: A, stored: A): FieldErrors
  /**
   * Validates in steps, for kinds whose validation can take long. It does the work of `validate` without `stored`, and
   * that of `validateUpdate` or `validateStatusUpdate` with it.
   */
  validateInSteps?(object: A, stored: A | undefined, subresource: Subresource | undefined): MaybeSteps<FieldErrors>
  /** How updates of its other subresources change a part of it: finalizers, ephemeral containers, resources. */
  readonly parts?: Readonly<Partial<Record<Subresource, Part<A>>>>
  /** Whether DELETE answers with the removed object. If not, it answers with a Status. */
  readonly returnsDeleted: boolean
  /**
   * Whether a delete that names no policy orphans its dependents, perhaps with a warning. If not, they are deleted in
   * the background.
   */
  readonly orphansByDefault: boolean | "warned"
  /** Why an object of this name may never be deleted by itself; undefined if it may. */
  undeletable?(name: string): string | undefined
  /** Whether PUT of a missing object creates it. */
  readonly allowCreateOnUpdate: boolean
  /** Whether also an apply to the status of a missing object creates it. */
  readonly createsOnStatusApply: boolean
  /** Whether PUT without a resourceVersion overwrites the stored object, and does not fail. */
  readonly allowUnconditionalUpdate: boolean
  /** Whether changes of the spec increase metadata.generation; with `onUpdate` a new object has none. */
  readonly tracksGeneration: boolean | "onUpdate"
  /** Whether an empty list in place of an absent one is such a change: upstream compares by reflect.DeepEqual. */
  readonly tellsAbsentFromEmpty?: boolean
  /** The status of a new object, whatever the caller sent. If undefined, the caller's status is kept. */
  readonly initialStatus: (() => unknown) | undefined
  /**
   * Returns the value of a field for field selectors (`spec.nodeName`), other than name and namespace. Returns undefined
   * if the object has no value there.
   */
  fieldOf?(object: A, field: string): string | undefined
  /** The field by whose value objects and watchers are found without scanning all of them. */
  readonly index: FieldIndex | undefined
  /** The number of past events that are kept, from which watches can resume. */
  readonly watchHistoryEvents: number
  /** Objects are removed when they have not been written for this long; undefined if they never expire. */
  readonly expireMs: number | undefined
  /**
   * Returns what a store of several servers must write together with an object, such as that a value is taken. `object` is
   * undefined if it is removed, `previous` if it is new.
   */
  claims?(object: A | undefined, previous: A | undefined): ReadonlyArray<Operation>
  /** Whether reads ask the store and not the watch cache, which checks revisions in another way. */
  readonly isUncached?: boolean
  /** Prints its objects as a table. */
  readonly printer: Printer
  /** The wire type of its objects, where the API's tables have none: custom resources. */
  readonly message?: MessageType
  /** The OpenAPI schema of its objects. */
  readonly schema?: Readonly<Record<string, unknown>>
  /** The scale paths of its objects, where they differ from those of built-in kinds. */
  readonly scale?: ScalePaths
  /** Selectable fields. If absent, the API's table of field selectors applies. */
  readonly selectable?: ReadonlyArray<string>
  /** Whether its objects are served only through views of it: the kind has no path. */
  readonly hidden?: boolean
  /** Whether an object that is read may lack defaults of its kind: it has those of the version that it was stored in. */
  readonly lacksDefaults?: boolean
  /** The version in which objects are stored, if it is not the version of `resource`; empty if that is not served. */
  readonly storageVersion?: string
  /** The deprecation warning for clients of this version. */
  readonly deprecation?: string
  /** Returns why no object of this name can be created now, or undefined if it can. */
  createRefusal?(name: string): Status | undefined
}

/** Returns the key of a kind that is not modelled. */
export const customKind = ({ group, kind, version }: Pick<Resource, "group" | "kind" | "version">): CustomKind =>
  `${kind}.${group}/${version}`

/** Whether the kind is a custom resource: neither built in nor a view, and in a group. */
export const isCustom = ({ key, resource, view }: KindDefinition): boolean =>
  !isKindName(key) && resource.group !== "" && (view === undefined || !isKindName(view.of))

/**
 * The options of a table entry; the rest follows from the kind's name. `KindDefinition` explains the fields. Booleans
 * are false by default, except `allowUnconditionalUpdate`.
 */
export interface KindOptions<A extends KubeObject> {
  /** The directory under /registry, if it is not the plural. */
  readonly directory?: string
  readonly subresources?: ReadonlyArray<Subresource>
  readonly proxyOptions?: string
  readonly strategy?: Strategy<A>
  readonly deprecation?: string
  undeletable?(name: string): string | undefined
  readonly orphansByDefault?: boolean | "warned"
  readonly returnsDeleted?: boolean
  readonly allowCreateOnUpdate?: boolean
  readonly createsOnStatusApply?: boolean
  readonly allowUnconditionalUpdate?: boolean
  readonly tracksGeneration?: boolean | "onUpdate"
  readonly tellsAbsentFromEmpty?: boolean
  /** Default: for a kind with the subresource `status`, the fields that Go always writes, with their zero values. */
  readonly initialStatus?: (() => unknown) | undefined
  /** `metadata.name`, or a field that the kind is selected by, to be indexed. */
  readonly indexedField?: string
  readonly parts?: Readonly<Partial<Record<Subresource, Part<A>>>>
  readonly versions?: VersionConversion
  readonly watchHistoryEvents?: number
  readonly isUncached?: boolean
  readonly storageVersion?: string
  readonly expireMs?: number
  claims?(object: A | undefined, previous: A | undefined): ReadonlyArray<Operation>
}

/** Makes the definition of a kind of the API from its declaration, which has its names, defaults and validation. */
export const define = <K extends KindName>(kind: K, options: KindOptions<ObjectOf<K>> = {}): KindDefinition => {
  const { conversionFault, defaults, fields, resource, statusWarnings, validation, warnings } = kindOf(kind)
  const { directory = resource.plural, indexedField, strategy, subresources, ...rest } = options
  const definition: KindDefinition<ObjectOf<K>> = {
    key: kind,
    resource,
    apiVersion: apiVersionOf(kind),
    printer: printerOf(resource),
    prefix: `/registry/${directory}/`,
    subresources: new Set(subresources),
    strategy: { ...(warnings && { warnings }), ...(statusWarnings && { statusWarnings }), ...strategy },
    defaults,
    ...(conversionFault && { conversionFault }),
    validate: validation.create,
    validateUpdate: validation.update,
    validateStatusUpdate: validation.updateStatus ?? validation.update,
    ...generic,
    allowUnconditionalUpdate: true,
    initialStatus: subresources?.includes("status") ? () => emptyStatusOf(kind) : undefined,
    ...rest,
    ...(fields && { fieldOf: (object, field) => fields[field]?.(object) }),
    index: indexedField === undefined ? undefined : { field: indexedField, valueOf: indexValueOf(indexedField, fields) }
  }
  return definition
}

/** Returns the fields of a kind's status that Go always writes, with their zero values. */
const emptyStatusOf = (kind: KindName): unknown => {
  const type = wireTypeOf(kind).fields.get("status")?.type
  return type?.type === "message" ? Object.fromEntries(alwaysWrittenFields(type.message)) : {}
}

const indexValueOf =
  <A extends KubeObject>(field: string, fields: Kind<A>["fields"]) =>
  (object: KubeObject): string =>
    (field === "metadata.name" ? object.metadata.name : fields?.[field]?.(object as A)) ?? ""

/** What a kind does of which its row says nothing. Upstream: apiserver/pkg/registry/generic/registry/store.go. */
export const generic = {
  orphansByDefault: false,
  returnsDeleted: false,
  allowCreateOnUpdate: false,
  createsOnStatusApply: false,
  allowUnconditionalUpdate: false,
  tracksGeneration: false,
  initialStatus: undefined,
  index: undefined,
  watchHistoryEvents: 8192,
  expireMs: undefined
} as const
