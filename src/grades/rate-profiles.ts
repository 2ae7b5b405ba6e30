/** How a limiter cuts its rate at a refusal, and increases it while nothing is refused. */
interface Profile {
  readonly cutFactor: number;
  readonly increaseFactor: number;
  /** Each increase is twice the last one, up to this: the learnt rate may be far too low. */
  readonly maxIncreaseFactor: number;
  /** An increase needs this much time (once confident, `confidentEveryMs`), and this many accepted. */
  readonly increaseEveryMs: number;
  readonly confidentEveryMs: number;
  readonly increaseEveryAccepted: number;
}

/** While the limit is unknown. */
export const SEARCH: Profile = {
  cutFactor: 0.7,
  increaseFactor: 1.15,
  maxIncreaseFactor: 1.15,
  increaseEveryMs: 100,
  confidentEveryMs: 100,
  increaseEveryAccepted: 10,
};
/** Once the limit is roughly known. */
export const PROBE: Profile = {
  cutFactor: 0.93,
  increaseFactor: 1.05,
  maxIncreaseFactor: 1.4,
  increaseEveryMs: 1000,
  confidentEveryMs: 700,
  increaseEveryAccepted: 50,
};
/** After the service was overloaded: each further 503 leaves a record in doubt. */
export const RECOVER: Profile = {
  cutFactor: 0.5,
  increaseFactor: 1.25,
  maxIncreaseFactor: 1.25,
  increaseEveryMs: 1000,
  confidentEveryMs: 1000,
  increaseEveryAccepted: 5,
};
