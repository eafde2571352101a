let last = 0

/**
 * Returns a larger number than ever before. It gives watches the order in which they were opened or renewed, in every
 * layer that they pass: a watch that is renewed without asking these layers is told its new number late.
 */
export const nextWatchOrder = (): number => ++last
