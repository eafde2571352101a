import { type CustomResourceDefinition, type CustomResourceDefinitionVersion, kinds } from "@rollcall/api"
import { isFields } from "@rollcall/api/values"
import { type GroupVersionKind, wireTypeNamed, wireTypeOfGvk } from "@rollcall/api/wire"
import { type CelSchema, type CelType, celTypeOf, objectOf } from "@rollcall/cel"
import { messageType } from "./wireTypes.ts"
import { withNames } from "./withNames.ts"

interface Named extends GroupVersionKind {
  readonly plural: string
  readonly singular: string
}

const lowerCased = (group: string, kind: string, plural = `${kind.toLowerCase()}s`): Named => ({
  group,
  version: "v1",
  kind,
  plural,
  singular: kind.toLowerCase()
})

/** The resources that are not kinds of the modelled API: other versions of such, and those that nobody stores. */
const others: ReadonlyArray<Named> = [
  lowerCased("", "Binding"),
  lowerCased("", "ComponentStatus", "componentstatuses"),
  lowerCased("events.k8s.io", "Event"),
  lowerCased("autoscaling", "HorizontalPodAutoscaler"),
  lowerCased("authentication.k8s.io", "TokenReview"),
  lowerCased("authentication.k8s.io", "SelfSubjectReview"),
  lowerCased("authorization.k8s.io", "LocalSubjectAccessReview"),
  lowerCased("authorization.k8s.io", "SelfSubjectAccessReview"),
  lowerCased("authorization.k8s.io", "SelfSubjectRulesReview"),
  lowerCased("authorization.k8s.io", "SubjectAccessReview")
]

const customKinds = ({ spec, status }: CustomResourceDefinition): ReadonlyArray<Named> => {
  const { kind, plural, singular = kind.toLowerCase() } = status?.acceptedNames ?? spec.names
  const { group } = spec
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name }) => ({ group, version: name, kind, plural, singular }))
}

/** The mapper knows the lists of kinds by the names that such a kind would have. */
const withList = (named: Named): ReadonlyArray<Named> => [
  named,
  { ...lowerCased(named.group, `${named.kind}List`), version: named.version }
]

const objectMeta = () => {
  const message = wireTypeNamed("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  return message && messageType(message)
}

/** The schema of a definition says nothing of the metadata; that which the server publishes does. */
const withObjectMeta = (type: CelType): CelType => {
  const metadata = objectMeta()
  return metadata === undefined || type.fields === undefined
    ? type
    : objectOf(new Map([...type.fields, ["metadata", metadata]]), type.minSize)
}

const schemaOf = ({ schema }: CustomResourceDefinitionVersion): CelSchema =>
  isFields(schema?.openAPIV3Schema) ? schema.openAPIV3Schema : {}

/** Finds the kinds that rules name, and the types of their objects. */
export class TypeFinder {
  private readonly definitions: ReadonlyArray<CustomResourceDefinition>
  private readonly names: ReadonlyArray<Named>

  constructor(definitions: ReadonlyArray<CustomResourceDefinition>) {
    this.definitions = definitions
    const modelled = Object.values(kinds).map(({ resource }) => resource)
    this.names = [...modelled, ...others, ...definitions.flatMap(customKinds)].flatMap(withList)
  }

  /** Returns the kinds of a resource; an empty group means any. Upstream: api/meta/restmapper.go, KindsFor. */
  kindsOf(group: string, version: string, resource: string): ReadonlyArray<GroupVersionKind> {
    const wanted = resource.toLowerCase()
    return this.names
      .filter(
        (named) =>
          (group === "" || named.group === group) &&
          named.version === version &&
          (named.plural === wanted || named.singular === wanted)
      )
      .map(({ group, kind, version }) => ({ group, version, kind }))
  }

  /** Returns the type of a kind's objects; undefined if its schema is not known. */
  typeOf(gvk: GroupVersionKind): CelType | undefined {
    const message = wireTypeOfGvk(gvk)
    const type = message === undefined ? this.customType(gvk) : messageType(message)
    return type && withNames(type, gvk.kind)
  }

  private customType({ group, kind, version }: GroupVersionKind): CelType | undefined {
    const definition = this.definitions.find(({ spec }) => spec.group === group && spec.names.kind === kind)
    const served = definition?.spec.versions.find((each) => each.name === version && each.served)
    const type = served && celTypeOf(schemaOf(served), true)
    return type && withObjectMeta(type)
  }
}
