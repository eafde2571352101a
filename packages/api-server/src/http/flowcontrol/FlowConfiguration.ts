import type { FlowSchema } from "@rollcall/api"
import {
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  type PriorityLevelConfiguration,
  type PriorityLevelConfigurationSpec
} from "@rollcall/api"
import type { UserInfo } from "../../core/admission/Admission.ts"
import type { RequestInfo } from "../request/RequestInfo.ts"
import { FlowState } from "./FlowState.ts"
import { borrow, seatLimits } from "./limits.ts"
import { byPrecedence, matchesFlowSchema } from "./matchFlowSchema.ts"
import { isUsable, PriorityLevel } from "./PriorityLevel.ts"

/** A schema and the level of its requests. */
export interface Route {
  readonly flow: FlowState
  readonly level: PriorityLevel
}

const nameOf = ({ metadata }: FlowSchema | PriorityLevelConfiguration): string => metadata.name ?? ""

/**
 * What the objects of API Priority and Fairness amount to: levels with their seats, and the schemas that lead to them. Objects that
 * are missing or broken count as not there, but for the mandatory ones. Upstream: apf_controller.go, cfgMeal.
 */
export class FlowConfiguration {
  /** Seats of the server. */
  private readonly total: number
  levels: ReadonlyMap<string, PriorityLevel> = new Map()
  flows: ReadonlyMap<string, FlowState> = new Map()
  /** In the order of matching. */
  private routes: ReadonlyArray<Route> = []
  /** What each level had of its target at the last adjustment. */
  fairFraction = 0

  constructor(total: number, nowMs: number) {
    this.total = total
    this.digest([], [], nowMs)
  }

  digest(levels: ReadonlyArray<PriorityLevelConfiguration>, schemas: ReadonlyArray<FlowSchema>, nowMs: number): void {
    const next = new Map<string, PriorityLevel>()
    const usable = levels.filter(isUsable)
    const known = new Set(usable.map(nameOf))
    const missing = mandatoryPriorityLevels.filter((level) => !known.has(nameOf(level)))
    for (const configuration of [...usable, ...missing]) {
      const name = nameOf(configuration)
      const level = this.levels.get(name) ?? new PriorityLevel(configuration, nowMs)
      level.configure(configuration)
      level.isQuiescing = false
      next.set(name, level)
    }
    this.routes = this.routesOf(schemas, next)
    this.flows = new Map(this.routes.map(({ flow }) => [flow.name, flow]))
    for (const [name, level] of this.levels) {
      if (next.has(name) || level.queues.isIdle) continue
      level.isQuiescing = true
      next.set(name, level)
    }
    this.levels = next
    this.share()
    this.adjust(nowMs)
  }

  /** The first that matches; `catch-all` if none does. */
  classify(info: RequestInfo, user: UserInfo): Route {
    for (const route of this.routes) if (matchesFlowSchema(info, user, route.flow.schema)) return route
    return this.routes.find(({ flow }) => flow.name === "catch-all") as Route
  }

  /** Lends what levels do not need to those that do. */
  adjust(nowMs: number): void {
    const levels = [...this.levels.values()]
    const { current, fairFraction } = borrow(levels.map((level) => level.demands(nowMs)))
    levels.forEach((level, index) => {
      level.setCurrentLimit(current[index] as number)
    })
    this.fairFraction = fairFraction
  }

  /** Schemas without a usable level are left out; what is mandatory is first or last where it has no object of its own. */
  private routesOf(schemas: ReadonlyArray<FlowSchema>, levels: ReadonlyMap<string, PriorityLevel>): Array<Route> {
    const routeOf = (schema: FlowSchema): ReadonlyArray<Route> => {
      const level = levels.get(schema.spec?.priorityLevelConfiguration?.name ?? "")
      if (level === undefined) return []
      const flow = this.flows.get(nameOf(schema)) ?? new FlowState(schema)
      flow.schema = schema
      return [{ flow, level }]
    }
    const routes = schemas.toSorted(byPrecedence).flatMap(routeOf)
    const known = new Set(routes.map(({ flow }) => flow.name))
    const missing = mandatoryFlowSchemas.filter((schema) => !known.has(nameOf(schema)))
    const [first, last] = [missing.filter(isFirst), missing.filter((schema) => !isFirst(schema))]
    return [...first.flatMap(routeOf), ...routes, ...last.flatMap(routeOf)]
  }

  private share(): void {
    const levels = [...this.levels.values()]
    const specs = levels.map(({ configuration }) => configuration.spec as PriorityLevelConfigurationSpec)
    seatLimits(this.total, specs).forEach((limits, index) => {
      levels[index]?.setLimits(limits)
    })
  }
}

const isFirst = (schema: FlowSchema): boolean => nameOf(schema) === "exempt"
