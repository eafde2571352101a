import type { Shape } from "../Life.ts"
import { cornerShapes } from "./corners.ts"
import { endingShapes } from "./ending.ts"
import { runningShapes } from "./running.ts"
import { waitingShapes } from "./waiting.ts"

/** The shapes of pods that are compared. */
export const shapes: ReadonlyArray<Shape> = [...runningShapes, ...endingShapes, ...waitingShapes, ...cornerShapes]
