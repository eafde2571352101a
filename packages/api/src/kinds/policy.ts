import { defaultPriorityClass } from "../defaulting/core.ts"
import { defaultCustomResourceDefinition } from "../defaulting/customResourceDefinition.ts"
import { defaultFlowSchema, defaultPriorityLevelConfiguration } from "../defaulting/flowcontrol.ts"
import { defaultBinding } from "../defaulting/rbac.ts"
import { CustomResourceDefinition } from "../objects/CustomResourceDefinition.ts"
import { FlowSchema, PriorityLevelConfiguration } from "../objects/FlowControl.ts"
import { Lease } from "../objects/Lease.ts"
import { PodDisruptionBudget } from "../objects/Policy.ts"
import { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "../objects/Rbac.ts"
import { PriorityClass } from "../objects/Scheduling.ts"
import { RuntimeClass } from "../objects/StorageClass.ts"
import * as definitions from "../validation/customResourceDefinition.ts"
import { flowSchemaRules } from "../validation/flowSchema.ts"
import { validateLease, validateLeaseUpdate } from "../validation/lease.ts"
import * as budgets from "../validation/podDisruptionBudget.ts"
import { validatePriorityClass, validatePriorityClassUpdate } from "../validation/priorityClass.ts"
import { priorityLevelRules } from "../validation/priorityLevel.ts"
import * as rbac from "../validation/rbac.ts"
import { runtimeClassRules } from "../validation/storageClass.ts"
import { runtimeClassWarnings } from "../warnings/storage.ts"
import { kind } from "./Kind.ts"

/** Upstream: pkg/apis/{coordination,scheduling,flowcontrol,policy,node,rbac}, apiextensions-apiserver/pkg/apis. */

export const leases = kind<Lease>(Lease, { validation: { create: validateLease, update: validateLeaseUpdate } })

export const priorityClasses = kind<PriorityClass>(PriorityClass, {
  scope: "Cluster",
  shortNames: ["pc"],
  defaults: defaultPriorityClass,
  validation: { create: validatePriorityClass, update: validatePriorityClassUpdate }
})

export const flowSchemas = kind<FlowSchema>(FlowSchema, {
  scope: "Cluster",
  defaults: defaultFlowSchema,
  validation: flowSchemaRules
})

export const priorityLevels = kind<PriorityLevelConfiguration>(PriorityLevelConfiguration, {
  scope: "Cluster",
  defaults: defaultPriorityLevelConfiguration,
  validation: priorityLevelRules
})

export const podDisruptionBudgets = kind<PodDisruptionBudget>(PodDisruptionBudget, {
  shortNames: ["pdb"],
  validation: {
    create: budgets.validatePodDisruptionBudget,
    update: budgets.validatePodDisruptionBudgetUpdate,
    updateStatus: budgets.validatePodDisruptionBudgetStatusUpdate
  }
})

export const runtimeClasses = kind<RuntimeClass>(RuntimeClass, {
  scope: "Cluster",
  validation: runtimeClassRules,
  warnings: runtimeClassWarnings
})

export const roles = kind<Role>(Role, { validation: { create: rbac.validateRole, update: rbac.validateRoleUpdate } })

export const clusterRoles = kind<ClusterRole>(ClusterRole, {
  scope: "Cluster",
  validation: { create: rbac.validateClusterRole, update: rbac.validateClusterRoleUpdate }
})

export const roleBindings = kind<RoleBinding>(RoleBinding, {
  defaults: defaultBinding,
  validation: { create: rbac.validateRoleBinding, update: rbac.validateRoleBindingUpdate }
})

export const clusterRoleBindings = kind<ClusterRoleBinding>(ClusterRoleBinding, {
  scope: "Cluster",
  defaults: defaultBinding,
  validation: { create: rbac.validateClusterRoleBinding, update: rbac.validateClusterRoleBindingUpdate }
})

export const customResourceDefinitions = kind<CustomResourceDefinition>(CustomResourceDefinition, {
  scope: "Cluster",
  shortNames: ["crd", "crds"],
  categories: ["api-extensions"],
  defaults: defaultCustomResourceDefinition,
  validation: {
    create: definitions.validateCustomResourceDefinition,
    update: definitions.validateCustomResourceDefinitionUpdate,
    updateStatus: definitions.validateCustomResourceDefinitionStatusUpdate
  }
})
