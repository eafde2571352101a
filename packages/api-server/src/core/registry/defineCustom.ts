import type { KubeObject, Resource } from "@rollcall/api"
import type { FieldErrors } from "@rollcall/api/validation"
import type { Subresource } from "@rollcall/cluster"
import { printerOf } from "@rollcall/printers"
import { customKind, generic, type KindDefinition, type Strategy } from "./KindDefinition.ts"

/** The optional parts of a definition that only custom resources and views have. */
type CustomTraits = Partial<
  Pick<
    KindDefinition,
    | "createRefusal"
    | "deprecation"
    | "fieldOf"
    | "hidden"
    | "lacksDefaults"
    | "listKind"
    | "validateInSteps"
    | "validationWarnings"
    | "message"
    | "printer"
    | "scale"
    | "schema"
    | "selectable"
    | "storageVersion"
    | "versions"
    | "view"
  >
>

/**
 * The rules of a kind that is not modelled: a custom resource, or a view (`view`) of another kind. Unlike for built-in
 * kinds, `allowUnconditionalUpdate` is false by default, as upstream for custom resources.
 */
export interface CustomOptions extends CustomTraits {
  /** If absent, any object is valid. */
  validate?(object: KubeObject): FieldErrors
  validateUpdate?(object: KubeObject, stored: KubeObject): FieldErrors
  validateStatusUpdate?(object: KubeObject, stored: KubeObject): FieldErrors
  defaults?(object: KubeObject): KubeObject
  readonly subresources?: ReadonlyArray<Subresource>
  readonly strategy?: Strategy
  readonly allowCreateOnUpdate?: boolean
  readonly allowUnconditionalUpdate?: boolean
  readonly tracksGeneration?: boolean
  readonly watchHistoryEvents?: number
}

/** Makes a definition that can be added to a registry at run time, and removed. */
export const defineCustom = (resource: Resource, options: CustomOptions = {}): KindDefinition => {
  const { defaults = unchanged, strategy = {}, subresources, validate = noErrors, ...rest } = options
  const { validateUpdate = noErrors, validateStatusUpdate = validateUpdate } = options
  return {
    ...generic,
    printer: printerOf(resource),
    ...rest,
    key: customKind(resource),
    resource,
    apiVersion: `${resource.group}/${resource.version}`,
    prefix: `/registry/${resource.group}/${resource.plural}/`,
    subresources: new Set(subresources),
    strategy,
    defaults,
    validate,
    validateUpdate,
    validateStatusUpdate
  }
}

const unchanged = (object: KubeObject): KubeObject => object

const noErrors = (): FieldErrors => []
