import { JavaScriptCodeAgent } from './agent';
import { SmolagentsExecutor, createSmolagentsExecutor } from './executor';
import { formatErrorObservation, formatObservation } from './observation';
import { toHostTools } from './tools';

export {
  JavaScriptCodeAgent,
  SmolagentsExecutor,
  createSmolagentsExecutor,
  formatErrorObservation,
  formatObservation,
  toHostTools,
};
