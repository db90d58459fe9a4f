'use strict';

const { JavaScriptCodeAgent } = require('./agent');
const { SmolagentsExecutor, createSmolagentsExecutor } = require('./executor');
const { formatErrorObservation, formatObservation } = require('./observation');
const { toHostTools } = require('./tools');

module.exports = {
  JavaScriptCodeAgent,
  SmolagentsExecutor,
  createSmolagentsExecutor,
  formatErrorObservation,
  formatObservation,
  toHostTools,
};
