(assignment_expression left: (identifier) @name right: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression) (generator_function) (class)]) @function
(class name: (_) @name) @class
(assignment_expression left: (_) @of right: (function_expression name: (identifier) @name) (#eq? @of "module.exports")) @function
