import { assert, describe, it } from "@effect/vitest"
import type { PersistentVolume, PersistentVolumeClaim } from "@rollcall/api"
import { claimInPhase } from "../src/binder/changes.ts"
import { bestMatch, type ClaimView, mismatchOf, planClaim, planVolume } from "../src/rules.ts"
import { claimOf, classOf, volumeOf } from "./withVolumeControllers.ts"

const BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"

const withMeta = <A extends PersistentVolume | PersistentVolumeClaim>(object: A, metadata: A["metadata"]): A => ({
  ...object,
  metadata: { ...object.metadata, ...metadata }
})
const claim = withMeta(claimOf("data"), { uid: "u1" })
const claimRefTo = (uid?: string) => ({
  claimRef: { namespace: "default", name: "data", ...(uid === undefined ? {} : { uid }) }
})
const availableVolume = (name: string, spec: PersistentVolume["spec"] = {}): PersistentVolume => ({
  ...volumeOf(name, spec),
  status: { phase: "Available" }
})

const viewOf = (volumes: ReadonlyArray<PersistentVolume>, more: Partial<ClaimView> = {}): ClaimView => ({
  volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
  candidates: () => volumes,
  storageClass: () => undefined,
  defaultClass: () => undefined,
  unplacedPods: () => [],
  ...more
})

describe("a claim", () => {
  it("is Lost without its volume, without the volume's name, and where another claim has the volume", () => {
    const bound = (volumeName: string) =>
      withMeta({ ...claim, spec: { ...claim.spec, volumeName } }, { annotations: { [BIND_COMPLETED]: "yes" } })
    const reasonOf = (step: ReturnType<typeof planClaim>) => (step.do === "lose" ? step.event.reason : step.do)
    assert.strictEqual(reasonOf(planClaim(bound("v"), viewOf([]))), "ClaimLost")
    assert.strictEqual(reasonOf(planClaim(bound(""), viewOf([]))), "ClaimLost")
    assert.strictEqual(reasonOf(planClaim(bound("v"), viewOf([volumeOf("v", claimRefTo("other"))]))), "ClaimMisbound")
    assert.strictEqual(reasonOf(planClaim(bound("v"), viewOf([volumeOf("v", claimRefTo("u1"))]))), "bind")
    assert.strictEqual(reasonOf(planClaim(bound("v"), viewOf([volumeOf("v")]))), "bind")
  })

  it("of a class with WaitForFirstConsumer is only bound to a pre-bound volume", () => {
    const waiting = { ...claim, spec: { ...claim.spec, storageClassName: "late" } }
    const ofClass = classOf("late", { volumeBindingMode: "WaitForFirstConsumer" })
    const free = availableVolume("free", { storageClassName: "late" })
    const aside = availableVolume("aside", { storageClassName: "late", ...claimRefTo() })
    const storageClass = () => ofClass
    assert.strictEqual(planClaim(waiting, viewOf([free], { storageClass })).do, "wait")
    const step = planClaim(waiting, viewOf([free, aside], { storageClass }))
    assert.strictEqual(step.do === "bind" ? step.volume.metadata.name : step.do, "aside")
  })

  it("takes its volume's class of attributes over when it becomes bound, and only then", () => {
    const gold = volumeOf("v", { volumeAttributesClassName: "gold" })
    const inPhase = (phase: "Pending" | "Bound" | "Lost", current?: string): PersistentVolumeClaim => ({
      ...claim,
      status: { phase, ...(current === undefined ? {} : { currentVolumeAttributesClassName: current }) }
    })
    const classOfBound = (before: PersistentVolumeClaim, volume = gold) =>
      claimInPhase(before, "Bound", volume).status?.currentVolumeAttributesClassName
    assert.strictEqual(classOfBound(inPhase("Pending")), "gold")
    assert.isUndefined(classOfBound(inPhase("Pending", "silver"), volumeOf("v")))
    assert.strictEqual(classOfBound(inPhase("Bound", "silver")), "silver")
    assert.strictEqual(classOfBound(inPhase("Lost", "silver")), "silver")
    assert.deepStrictEqual(claimInPhase(inPhase("Lost", "silver"), "Lost").status, { phase: "Lost" })
    const lost = inPhase("Lost")
    assert.strictEqual(claimInPhase(lost, "Lost"), lost)
  })

  it("is refused a volume that another claim was bound to", () => {
    const step = planClaim(
      withMeta(
        { ...claim, spec: { ...claim.spec, volumeName: "v" } },
        { annotations: { [BOUND_BY_CONTROLLER]: "yes" } }
      ),
      viewOf([volumeOf("v", { claimRef: { namespace: "default", name: "other", uid: "u2" } })])
    )
    assert.strictEqual(
      step.do === "event" ? step.event.message : step.do,
      'invalid binding of claim "default/data" to volume "v": volume already claimed by "default/other"'
    )
  })

  it("is provisioned by the CSI driver that replaced the in-tree plugin", () => {
    const storageClass = () => classOf("gp2", { provisioner: "kubernetes.io/aws-ebs" })
    const step = planClaim({ ...claim, spec: { ...claim.spec, storageClassName: "gp2" } }, viewOf([], { storageClass }))
    assert.strictEqual(step.do === "provision" ? step.provisioner : step.do, "ebs.csi.aws.com")
  })
})

describe("the best volume", () => {
  const best = (volumes: ReadonlyArray<PersistentVolume>, spec: PersistentVolumeClaim["spec"] = {}) =>
    bestMatch({ ...claim, spec: { ...claim.spec, ...spec } }, volumes, false)?.metadata.name

  it("has no more access modes than it must, before it is small", () => {
    const many = availableVolume("many", {
      accessModes: ["ReadWriteOnce", "ReadWriteMany"],
      capacity: { storage: "5Gi" }
    })
    assert.strictEqual(best([many, availableVolume("one", { capacity: { storage: "90Gi" } })]), "one")
    assert.strictEqual(best([many]), "many")
    assert.isUndefined(best([availableVolume("one")], { accessModes: ["ReadWriteMany"] }))
  })

  it("matches the class, the mode and the selector of the claim", () => {
    const block = availableVolume("block", { volumeMode: "Block" })
    const fast = availableVolume("fast", { storageClassName: "fast" })
    const red = withMeta(availableVolume("red"), { labels: { colour: "red" } })
    assert.isUndefined(best([block, fast]))
    assert.strictEqual(best([block, fast, red], { storageClassName: "fast" }), "fast")
    assert.strictEqual(best([block], { volumeMode: "Block" }), "block")
    assert.strictEqual(best([availableVolume("plain"), red], { selector: { matchLabels: { colour: "red" } } }), "red")
    assert.isUndefined(best([{ ...availableVolume("gone"), status: { phase: "Released" } }]))
    assert.isUndefined(best([withMeta(availableVolume("going"), { deletionTimestamp: "2026-01-01T00:00:00Z" })]))
  })

  it("has the first mismatch as the reason", () => {
    const why = (volume: PersistentVolume, spec: PersistentVolumeClaim["spec"] = {}) =>
      mismatchOf({ ...claim, spec: { ...claim.spec, ...spec } }, volume)
    assert.isUndefined(why(volumeOf("v")))
    assert.strictEqual(why(volumeOf("v"), { storageClassName: "fast" }), "storageClassName does not match")
    assert.strictEqual(why(volumeOf("v"), { volumeMode: "Block" }), "incompatible volumeMode")
    assert.strictEqual(why(volumeOf("v"), { accessModes: ["ReadWriteMany"] }), "incompatible accessMode")
  })
})

describe("a volume", () => {
  const other = { ...claim, spec: { ...claim.spec, volumeName: "elsewhere" } }

  it("is Available until its claim exists, and waits for it to be bound", () => {
    assert.deepStrictEqual(planVolume(volumeOf("v"), undefined), { do: "phase", phase: "Available" })
    assert.deepStrictEqual(planVolume(volumeOf("v", claimRefTo()), claim), { do: "phase", phase: "Available" })
    assert.deepStrictEqual(planVolume(volumeOf("v", claimRefTo("u1")), claim), { do: "enqueue claim" })
    const mine = { ...claim, spec: { ...claim.spec, volumeName: "v" } }
    assert.deepStrictEqual(planVolume(volumeOf("v", claimRefTo("u1")), mine), { do: "phase", phase: "Bound" })
    assert.strictEqual(planVolume(volumeOf("v", { ...claimRefTo("u1"), volumeMode: "Block" }), claim).do, "event")
  })

  it("is unbound where its claim has another volume, and released where it was provisioned for that claim", () => {
    assert.deepStrictEqual(planVolume(volumeOf("v", claimRefTo("u1")), other), { do: "unbind" })
    const made = withMeta(volumeOf("v", { ...claimRefTo("u1"), persistentVolumeReclaimPolicy: "Delete" }), {
      annotations: { "pv.kubernetes.io/provisioned-by": "csi.example.com" }
    })
    assert.deepStrictEqual(planVolume(made, other), { do: "release" })
    assert.deepStrictEqual(planVolume(made, undefined), { do: "release" })
  })
})
