-- What was promised and is done afterwards. Gone with the branch.
CREATE TABLE branch_to_delete (branch_id BIGINT PRIMARY KEY REFERENCES branch (id) ON DELETE CASCADE);
-- The last result of a content by anybody, where thousands of provider versions verified it.
CREATE INDEX latest_result_newest ON latest_result (content_id, result_id);
