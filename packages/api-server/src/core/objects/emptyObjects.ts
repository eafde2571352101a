import { annotationTemplateGeneration, type KubeObject } from "@rollcall/api"
import { specOf } from "@rollcall/api/values"
import { addAlwaysWritten, wireTypeOfGvk } from "@rollcall/api/wire"

/**
 * The fields that Go writes in the empty spec of workloads, because it converts it from its internal form, and of
 * requests because their bytes are never left out. A list stands for null here, too: a printer can read it.
 */
const emptySpecs: Readonly<Record<string, object>> = {
  Deployment: { replicas: 0, selector: [] },
  ReplicaSet: { replicas: 0, selector: [] },
  StatefulSet: { replicas: 0, selector: [] },
  DaemonSet: { selector: [] },
  CertificateSigningRequest: { request: [] }
}

const withSpec = (object: KubeObject, spec: object | undefined): KubeObject =>
  spec === undefined ? object : ({ ...object, spec: { ...(specOf(object) as object), ...spec } } as KubeObject)

const filled = (object: KubeObject): KubeObject => {
  const [group = "", version = ""] = object.apiVersion.includes("/")
    ? object.apiVersion.split("/")
    : ["", object.apiVersion]
  const type = wireTypeOfGvk({ group, version, kind: object.kind })
  if (type === undefined) return object
  return withSpec(addAlwaysWritten(type, object) as KubeObject, emptySpecs[object.kind])
}

/** The internal form of a DaemonSet counts its templates in a field, which is always converted to the annotation. */
const withTemplateGeneration = (object: KubeObject): KubeObject => {
  const annotations = { [annotationTemplateGeneration]: "0", ...object.metadata.annotations }
  return { ...object, metadata: { ...object.metadata, annotations } }
}

/** Go's raw JSON that has never been set is null. */
const withData = (object: KubeObject): KubeObject => ({ ...object, data: null }) as KubeObject

const rewritten: Readonly<Record<string, (object: KubeObject) => KubeObject>> = {
  ControllerRevision: withData,
  DaemonSet: withTemplateGeneration
}

/** Go writes a list that has never been set as null. */
const withoutLists = (_: string, value: unknown) => (Array.isArray(value) ? null : value)

/** Returns an object that has nothing but some metadata, as that of a bookmark, as Go writes it. */
export const emptyObject = (object: KubeObject): KubeObject => {
  const rewrite = rewritten[object.kind]
  const empty = rewrite === undefined ? filled(object) : rewrite(filled(object))
  return JSON.parse(JSON.stringify(empty, withoutLists))
}

/** The fields of which a printer shows the default, but not in a bookmark: nothing has defaulted it. */
const printedSpecs: Readonly<Record<string, object>> = {
  ReplicationController: { replicas: 0 },
  Service: { type: "" }
}

/** Returns the object of a bookmark as a printer reads it. */
export const printedEmptyObject = (object: KubeObject): KubeObject => {
  const printed = withSpec(filled(object), printedSpecs[object.kind])
  return object.kind === "PriorityClass" ? ({ ...printed, preemptionPolicy: "" } as KubeObject) : printed
}
